import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { WorkOrderSource, workOrders } from "@freehold/contract/maintenance/work-orders";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { publish } from "../../publish.ts";
import { findUserNames } from "../../rpc/lookups.ts";
import type { Clients } from "../../clients.ts";
import { findEntityDocuments } from "../../documents/documents.queries.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import { getPropertyRow } from "../../properties/properties.queries.ts";
import { getVendorRow } from "../../people/vendors/vendors.queries.ts";
import { type Assignees, publishAssignment } from "./assign-work-order.ts";
import { changeWorkOrder, newVendorId, recordCreation, lockUnfinishedWorkOrder } from "./change-work-order.ts";
import { findNewestEstimates } from "./estimates/estimates.queries.ts";
import { estimateView } from "./estimates/estimate.view.ts";
import { applyInsuranceCheck, checkVendorInsurance, type InsuranceCheck } from "./vendor-insurance.ts";
import { participantsOf, workOrderEvent } from "./work-order-events.ts";
import { findExpenseIds } from "./work-order-expenses.ts";
import { lockMaintenanceReferences, resolveLocation, requireConsistentLocation, requireOfficeUser, type WorkLocation } from "./work-order-references.ts";
import { WorkOrder } from "./work-order.entity.ts";
import { requireEndAfterStart } from "./work-order.rules.ts";
import { workOrderChangeView, workOrderColumns, workOrderView } from "./work-order.view.ts";
import { getWorkOrderRow, findNewestChanges, nextWorkOrderNumber, listWorkOrderRows, type WorkOrderFilters } from "./work-orders.queries.ts";

type Operations = (typeof workOrders)["operations"];

/** Returns a page of the work orders to which the caller has access. Expense ids are null while the ledger is unavailable. */
export async function listWorkOrders(db: OrgDb, clients: Clients, query: WorkOrderFilters): Promise<Output<Operations["listWorkOrders"]>> {
  const { rows, paging } = await listWorkOrderRows(db, query);
  const ids = rows.map(({ id }) => id);
  const expenseIdsOf = await findExpenseIds(db, clients, ids);
  return { workOrders: rows.map((row) => workOrderView(row, expenseIdsOf(row.id))), ...paging };
}

type ListByProperty = Operations["listPropertyWorkOrders"];
/** Returns a page of the work orders of a property. Throws 404 for an unknown property. */
export async function listPropertyWorkOrders(db: OrgDb, clients: Clients, id: string, query: QueryOf<ListByProperty>): Promise<Output<ListByProperty>> {
  await getPropertyRow(db, id);
  return listWorkOrders(db, clients, { ...query, propertyId: id });
}

type ListByVendor = Operations["listVendorWorkOrders"];
/** Returns a page of the work orders of a vendor. Throws 404 for an unknown vendor. */
export async function listVendorWorkOrders(db: OrgDb, clients: Clients, id: string, query: QueryOf<ListByVendor>): Promise<Output<ListByVendor>> {
  await getVendorRow(db, id);
  return listWorkOrders(db, clients, { ...query, vendorId: id });
}

interface Terms extends Omit<BodyOf<Operations["createWorkOrder"]>, "source"> {
  source?: WorkOrderSource | undefined;
  inspectionId?: string;
  inspectionItemId?: string;
}

/** Creates an open work order with the organization's next number and notifies its assignees. */
export async function createWorkOrder(db: OrgDb, clients: Clients, terms: Terms): Promise<Output<Operations["createWorkOrder"]>> {
  await requireOfficeUser(db, clients, terms.assignedUserId);
  const insurance = await checkVendorInsurance(db, clients, terms.vendorId);
  return transaction(db, (tx) => insertWorkOrder(tx, terms, insurance));
}

/**
 * Inserts a work order within a transaction. `requireOfficeUser` and `checkVendorInsurance` call identity, so callers run them
 * before the transaction and pass on the check of the insurance. The assignees of the terms are notified unless others are given.
 */
export async function insertWorkOrder(
  tx: OrgTx,
  terms: Terms,
  insurance: InsuranceCheck = {},
  assigneesToNotify: Assignees = terms,
): Promise<Output<Operations["createWorkOrder"]>> {
  await lockMaintenanceReferences(tx, terms);
  const location = await resolveLocation(tx, terms);
  await requireConsistentLocation(tx, location);
  const workOrder = tx.create(WorkOrder, {
    category: "other",
    priority: "normal",
    source: "staff",
    entryPermission: "unknown",
    requestedAt: now(),
    visibility: "organization_only",
    actualCents: 0 as WorkOrder["actualCents"],
    ...workOrderColumns(terms),
    ...location,
    // The counter covers the work orders of all tenants.
    number: await inOfficeReach(tx, () => nextWorkOrderNumber(tx)),
    status: "open",
    createdByUserId: tx.principal.userId,
  });
  requireEndAfterStart(workOrder);
  await tx.flush();
  recordCreation(tx, workOrder);
  applyInsuranceCheck(tx, workOrder, insurance);
  await publish(tx, "work_order.created", await workOrderEvent(tx, workOrder, {}));
  if (workOrder.vendorId ?? workOrder.assignedUserId) await publishAssignment(tx, workOrder, assigneesToNotify);
  return { workOrder: workOrderView(await getWorkOrderRow(tx, workOrder.id), []) };
}

/** Returns a work order with its notes, documents, estimates and history. */
export async function getWorkOrder(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getWorkOrder"]>> {
  const [workOrder, expenseIdsOf, notes, documents, estimates, changes] = await Promise.all([
    getWorkOrderRow(db, id),
    findExpenseIds(db, clients, [id]),
    findEntityNotes(db, clients, "work_order", id),
    findEntityDocuments(db, "work_order", id),
    findNewestEstimates(db, id),
    findNewestChanges(db, id),
  ]);
  const names = await findUserNames(db, clients, [
    ...estimates.map(({ decidedByUserId }) => decidedByUserId),
    ...changes.map(({ actorUserId }) => actorUserId),
  ]);
  return {
    workOrder: workOrderView(workOrder, expenseIdsOf(id)),
    notes,
    documents,
    estimates: estimates.map((row) => estimateView(row, names)),
    history: changes.map((row) => workOrderChangeView(row, names)),
  };
}

type Changes = BodyOf<Operations["updateWorkOrder"]>;

/** Updates the given fields of a work order. Throws 409 when the work order is finished, 400 when the result is inconsistent. */
export async function updateWorkOrder(db: OrgDb, clients: Clients, id: string, changes: Changes): Promise<Output<Operations["updateWorkOrder"]>> {
  if (changes.assignedUserId || changes.vendorId) await getWorkOrderRow(db, id);
  await requireOfficeUser(db, clients, changes.assignedUserId);
  const insurance = await checkVendorInsurance(db, clients, changes.vendorId);
  const expenseIdsOf = await findExpenseIds(db, clients, [id]);
  return transaction(db, async (tx) => {
    await applyWorkOrderChanges(tx, await lockUnfinishedWorkOrder(tx, id), changes, insurance);
    return { workOrder: workOrderView(await getWorkOrderRow(tx, id), expenseIdsOf(id)) };
  });
}

/** Updates the given fields of a locked, unfinished work order. Throws 400 when the result is inconsistent. */
export async function applyWorkOrderChanges(tx: OrgTx, workOrder: WorkOrder, changes: Changes, insurance: InsuranceCheck): Promise<void> {
  const { assignedUserId } = workOrder;
  const before = participantsOf(workOrder);
  await lockMaintenanceReferences(tx, { ...changes, vendorId: newVendorId(workOrder, changes) });
  if (changesLocation(changes)) await requireConsistentLocation(tx, locationAfter(workOrder, changes));
  changeWorkOrder(tx, workOrder, workOrderColumns(changes));
  requireEndAfterStart(workOrder);
  await publish(tx, "work_order.updated", await workOrderEvent(tx, workOrder, {}, before));
  if (workOrder.vendorId !== before.vendorId) applyInsuranceCheck(tx, workOrder, insurance);
  if (workOrder.vendorId !== before.vendorId || workOrder.assignedUserId !== assignedUserId) await publishAssignment(tx, workOrder, {});
}

/**
 * Tells whether a request sets the location. Other changes skip the location check, which would fail once the tenant has
 * left the lease.
 */
const changesLocation = ({ propertyId, unitId, leaseId, tenantId }: Changes): boolean =>
  [propertyId, unitId, leaseId, tenantId].some((value) => value !== undefined);

function locationAfter(workOrder: WorkOrder, { propertyId, unitId, leaseId, tenantId }: Changes): WorkLocation {
  const orUnchanged = <T>(sent: T | undefined, before: T) => (sent === undefined ? before : sent);
  return {
    propertyId: propertyId ?? workOrder.propertyId,
    unitId: orUnchanged(unitId, workOrder.unitId),
    leaseId: orUnchanged(leaseId, workOrder.leaseId),
    tenantId: orUnchanged(tenantId, workOrder.tenantId),
  };
}
