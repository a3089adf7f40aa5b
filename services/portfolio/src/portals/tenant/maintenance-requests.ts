/** Maintenance requests of a tenant: the work orders that `work-order.access.ts` makes visible to tenants. */
import { MaintenanceRequest, type tenantPortal } from "@freehold/contract/portals/tenant-portal";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import type { DocumentDependencies } from "../../documents/documents.ts";
import { changeWorkOrder, lockWorkOrder } from "../../maintenance/work-orders/change-work-order.ts";
import { requireUnreleasedTenant } from "../../maintenance/work-orders/work-order.access.ts";
import { workOrderEvent } from "../../maintenance/work-orders/work-order-events.ts";
import { transitionTimestamps } from "../../maintenance/work-orders/work-order.rules.ts";
import { workOrderView } from "../../maintenance/work-orders/work-order.view.ts";
import { getWorkOrder, insertWorkOrder, listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { getWorkOrderRow } from "../../maintenance/work-orders/work-orders.queries.ts";
import { addPortalComment } from "../portal-comment.ts";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { requireCancellableByTenant, resolveMaintenanceRequestLease } from "./maintenance-request.rules.ts";
import { withRequestDocuments } from "./request-documents.ts";
import { findLeaseIdsOfResidence } from "./residence.queries.ts";
import { findOwnLeases } from "./tenant-leases.ts";

type Operations = (typeof tenantPortal)["operations"];
type Result = { workOrder: MaintenanceRequest };

const requestView = (workOrder: MaintenanceRequest): MaintenanceRequest => pickPortalFields(MaintenanceRequest, workOrder);

type ListOperation = Operations["listMaintenanceRequests"];

/** Returns a page of the caller's own requests and of the work orders shared with the caller. */
export async function listMaintenanceRequests(db: OrgDb, clients: Clients, query: QueryOf<ListOperation>): Promise<Output<ListOperation>> {
  const { workOrders, ...paging } = await listWorkOrders(db, clients, query);
  return { workOrders: workOrders.map(requestView), ...paging };
}

type NewRequest = BodyOf<Operations["createMaintenanceRequest"]>;

/**
 * Creates a work order for the unit of the caller's lease, with copies of the documents. Throws 400 or 409 when the lease cannot be determined, see
 * `resolveMaintenanceRequestLease`, and 400 for the documents as `withRequestDocuments` does.
 */
export async function createMaintenanceRequest(
  db: OrgDb,
  documents: DocumentDependencies,
  { leaseId, entryPermitted, documentIds = [], ...terms }: NewRequest,
): Promise<Result> {
  const tenantId = requireSubjectId(db.principal);
  const [ownLeases, residenceIds] = await Promise.all([findOwnLeases(db), findLeaseIdsOfResidence(db, tenantId)]);
  const lease = resolveMaintenanceRequestLease(ownLeases, residenceIds, leaseId);
  const entryPermission = entryPermitted === undefined ? "unknown" : entryPermitted ? "granted" : "denied";
  const location = { propertyId: lease.propertyId, unitId: lease.unitId, leaseId: lease.id, tenantId };
  const created = withRequestDocuments(db, documents, documentIds, (addDocuments) =>
    transaction(db, async (tx): Promise<Result> => {
      const { workOrder } = await insertWorkOrder(tx, { ...terms, ...location, entryPermission, source: "tenant" });
      await addDocuments(tx, workOrder.id);
      return { workOrder };
    }),
  );
  return completeAfterCommit(created, ({ workOrder }) => Promise.resolve({ workOrder: requestView(workOrder) }));
}

/** Returns a request with the notes and documents shared with the caller. */
export async function getMaintenanceRequest(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getMaintenanceRequest"]>> {
  const { workOrder, notes, documents } = await getWorkOrder(db, clients, id);
  return { workOrder: requestView(workOrder), notes, documents };
}

/** Adds a note that is visible to the office and the tenant. Throws 403 for a tenant who was released from the unit. */
export async function commentOnMaintenanceRequest(
  db: OrgDb,
  clients: Clients,
  id: string,
  { body }: BodyOf<Operations["commentOnMaintenanceRequest"]>,
): Promise<Output<Operations["commentOnMaintenanceRequest"]>> {
  await requireUnreleasedTenant(db, id);
  return addPortalComment(db, clients, id, { body, visibility: "tenant_shared" }, (_tx, workOrder) => requestView(workOrder));
}

/**
 * Cancels an open request of the caller. Throws 403 for another's request, for a work order that the office shares with the caller and for a
 * tenant who was released from the unit, 409 for a request that is not open.
 */
export const cancelMaintenanceRequest = (db: OrgDb, id: string): Promise<Result> =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    await requireUnreleasedTenant(tx, id);
    requireCancellableByTenant(workOrder, tx.principal.userId);
    const formerStatus = workOrder.status;
    changeWorkOrder(tx, workOrder, { status: "cancelled", ...transitionTimestamps("cancelled", workOrder.startedAt, now()) });
    await publish(tx, "work_order.transitioned", await workOrderEvent(tx, workOrder, { from: formerStatus }));
    return { workOrder: requestView(workOrderView(await getWorkOrderRow(tx, id), [])) };
  });
