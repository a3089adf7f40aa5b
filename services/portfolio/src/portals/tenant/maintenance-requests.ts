/** A tenant's maintenance requests: work orders, as far as `work-order.reach.ts` lets the tenant. */
import { MaintenanceRequest, type tenantPortal } from "@freehold/contract/tenant-portal";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { announce } from "../../announce.ts";
import type { Clients } from "../../clients.ts";
import { change, lockWorkOrder } from "../../maintenance/work-orders/change-work-order.ts";
import { audienceOf, ofWorkOrder } from "../../maintenance/work-orders/work-order-events.ts";
import { momentsOf } from "../../maintenance/work-orders/work-order.rules.ts";
import { workOrderView } from "../../maintenance/work-orders/work-order.view.ts";
import { createWorkOrder, getWorkOrder, listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { findWorkOrder } from "../../maintenance/work-orders/work-orders.queries.ts";
import { comment } from "../comment.ts";
import { shown } from "../shown.ts";
import { subjectOf } from "../subject.ts";
import { refuseToCancel } from "./maintenance-request.rules.ts";
import { leaseMeant } from "./tenant-lease.rules.ts";
import { ownLeases } from "./tenant-leases.ts";

type Operations = (typeof tenantPortal)["operations"];
type Answer = Promise<{ workOrder: MaintenanceRequest }>;

const requestView = (workOrder: MaintenanceRequest): MaintenanceRequest => shown(MaintenanceRequest, workOrder);

type Listed = Operations["listMaintenanceRequests"];

/** The caller's own requests, and the work that is shared with it. */
export async function listMaintenanceRequests(db: OrgDb, query: QueryOf<Listed>): Promise<Output<Listed>> {
  const { workOrders, ...paging } = await listWorkOrders(db, query);
  return { workOrders: workOrders.map(requestView), ...paging };
}

type Asked = BodyOf<Operations["createMaintenanceRequest"]>;

/** Opens a work order for the unit of the caller's lease. */
export async function createMaintenanceRequest(db: OrgDb, ask: Clients, { leaseId, entryPermitted, ...terms }: Asked): Answer {
  const { id, propertyId, unitId } = leaseMeant(await ownLeases(db), leaseId, today(db.principal.timezone));
  const entryPermission = entryPermitted === undefined ? "unknown" : entryPermitted ? "granted" : "denied";
  const place = { propertyId, unitId, leaseId: id, tenantId: subjectOf(db.principal) };
  const created: Answer = createWorkOrder(db, ask, { ...terms, ...place, entryPermission, source: "tenant" });
  return completeAfterCommit(created, ({ workOrder }) => Promise.resolve({ workOrder: requestView(workOrder) }));
}

/** A request with what is shared with the caller about it. */
export async function getMaintenanceRequest(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getMaintenanceRequest"]>> {
  const { workOrder, notes, documents } = await getWorkOrder(db, ask, id);
  return { workOrder: requestView(workOrder), notes, documents };
}

/** Writes a note that the office and the caller see. */
export const commentOnMaintenanceRequest = (
  db: OrgDb,
  ask: Clients,
  id: string,
  { body }: BodyOf<Operations["commentOnMaintenanceRequest"]>,
): Promise<Output<Operations["commentOnMaintenanceRequest"]>> =>
  comment(db, ask, id, { body, visibility: "tenant_shared" }, (_tx, workOrder) => requestView(workOrder));

/** Takes back what the caller asked for, as long as nobody has begun. */
export const cancelMaintenanceRequest = (db: OrgDb, id: string): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    refuseToCancel(workOrder);
    const from = workOrder.status;
    change(tx, workOrder, { status: "cancelled", ...momentsOf("cancelled", workOrder.startedAt, now()) });
    const data = { ...ofWorkOrder(workOrder), from };
    await announce(tx, "work_order.transitioned", { entityId: id, data, audience: await audienceOf(tx, workOrder) });
    return { workOrder: requestView(workOrderView(await findWorkOrder(tx, id))) };
  });
