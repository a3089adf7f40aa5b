/** A tenant's maintenance requests: work orders, as far as `work-order.access.ts` lets the tenant. */
import { MaintenanceRequest, type tenantPortal } from "@freehold/contract/portals/tenant-portal";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { changeWorkOrder, lockWorkOrder } from "../../maintenance/work-orders/change-work-order.ts";
import { workOrderAudience, workOrderEventData } from "../../maintenance/work-orders/work-order-events.ts";
import { transitionTimestamps } from "../../maintenance/work-orders/work-order.rules.ts";
import { workOrderView } from "../../maintenance/work-orders/work-order.view.ts";
import { createWorkOrder, getWorkOrder, listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { getWorkOrderRow } from "../../maintenance/work-orders/work-orders.queries.ts";
import { addPortalComment } from "../comment.ts";
import { pickPortalFields } from "../shown.ts";
import { requireSubjectId } from "../subject.ts";
import { requireCancellableByTenant } from "./maintenance-request.rules.ts";
import { resolveRequestLease } from "./tenant-lease.rules.ts";
import { findOwnLeases } from "./tenant-leases.ts";

type Operations = (typeof tenantPortal)["operations"];
type Answer = Promise<{ workOrder: MaintenanceRequest }>;

const requestView = (workOrder: MaintenanceRequest): MaintenanceRequest => pickPortalFields(MaintenanceRequest, workOrder);

type Listed = Operations["listMaintenanceRequests"];

/** The caller's own requests, and the work that is shared with it. */
export async function listMaintenanceRequests(db: OrgDb, query: QueryOf<Listed>): Promise<Output<Listed>> {
  const { workOrders, ...paging } = await listWorkOrders(db, query);
  return { workOrders: workOrders.map(requestView), ...paging };
}

type Asked = BodyOf<Operations["createMaintenanceRequest"]>;

/** Opens a work order for the unit of the caller's lease. */
export async function createMaintenanceRequest(db: OrgDb, clients: Clients, { leaseId, entryPermitted, ...terms }: Asked): Answer {
  const { id, propertyId, unitId } = resolveRequestLease(await findOwnLeases(db), leaseId, today(db.principal.timezone));
  const entryPermission = entryPermitted === undefined ? "unknown" : entryPermitted ? "granted" : "denied";
  const place = { propertyId, unitId, leaseId: id, tenantId: requireSubjectId(db.principal) };
  const created: Answer = createWorkOrder(db, clients, { ...terms, ...place, entryPermission, source: "tenant" });
  return completeAfterCommit(created, ({ workOrder }) => Promise.resolve({ workOrder: requestView(workOrder) }));
}

/** A request with what is shared with the caller about it. */
export async function getMaintenanceRequest(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getMaintenanceRequest"]>> {
  const { workOrder, notes, documents } = await getWorkOrder(db, clients, id);
  return { workOrder: requestView(workOrder), notes, documents };
}

/** Writes a note that the office and the caller see. */
export const commentOnMaintenanceRequest = (
  db: OrgDb,
  clients: Clients,
  id: string,
  { body }: BodyOf<Operations["commentOnMaintenanceRequest"]>,
): Promise<Output<Operations["commentOnMaintenanceRequest"]>> =>
  addPortalComment(db, clients, id, { body, visibility: "tenant_shared" }, (_tx, workOrder) => requestView(workOrder));

/** Takes back what the caller asked for, as long as nobody has begun. */
export const cancelMaintenanceRequest = (db: OrgDb, id: string): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    requireCancellableByTenant(workOrder);
    const from = workOrder.status;
    changeWorkOrder(tx, workOrder, { status: "cancelled", ...transitionTimestamps("cancelled", workOrder.startedAt, now()) });
    const data = { ...workOrderEventData(workOrder), from };
    await publish(tx, "work_order.transitioned", { entityId: id, data, audience: await workOrderAudience(tx, workOrder) });
    return { workOrder: requestView(workOrderView(await getWorkOrderRow(tx, id))) };
  });
