import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { WorkOrderSource, workOrders } from "@freehold/contract/work-orders";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { announce } from "../../announce.ts";
import { namesOf } from "../../asking.ts";
import type { Clients } from "../../clients.ts";
import { documentsOf } from "../../documents/documents.queries.ts";
import { notesOf } from "../../documents/notes/notes.ts";
import { findProperty } from "../../properties/properties.queries.ts";
import { findVendor } from "../../people/vendors/vendors.queries.ts";
import { announceAssigned } from "./assign-work-order.ts";
import { change, keepCreation, lockUnfinished } from "./change-work-order.ts";
import { newestEstimates } from "./estimates/estimates.queries.ts";
import { estimateView } from "./estimates/estimate.view.ts";
import { keepWarning, refuseLapsedInsurance } from "./vendor-insurance.ts";
import { audienceOf, ofWorkOrder } from "./work-order-events.ts";
import { holdNamed, placeOf, refuseMismatch, refuseUnknownColleague, type Place } from "./work-order-references.ts";
import { WorkOrder } from "./work-order.entity.ts";
import { refuseEndBeforeStart } from "./work-order.rules.ts";
import { changeView, columnsOf, workOrderView } from "./work-order.view.ts";
import { findWorkOrder, newestChanges, nextNumber, pageOfWorkOrders, type WorkOrderFilters } from "./work-orders.queries.ts";

type Operations = (typeof workOrders)["operations"];

/** The work orders that the caller reaches. */
export async function listWorkOrders(db: OrgDb, query: WorkOrderFilters): Promise<Output<Operations["listWorkOrders"]>> {
  const { rows, paging } = await pageOfWorkOrders(db, query);
  return { workOrders: rows.map(workOrderView), ...paging };
}

type OfProperty = Operations["listPropertyWorkOrders"];
export async function listPropertyWorkOrders(db: OrgDb, id: string, query: QueryOf<OfProperty>): Promise<Output<OfProperty>> {
  await findProperty(db, id);
  return listWorkOrders(db, { ...query, propertyId: id });
}

type OfVendor = Operations["listVendorWorkOrders"];
export async function listVendorWorkOrders(db: OrgDb, id: string, query: QueryOf<OfVendor>): Promise<Output<OfVendor>> {
  await findVendor(db, id);
  return listWorkOrders(db, { ...query, vendorId: id });
}

interface Terms extends Omit<BodyOf<Operations["createWorkOrder"]>, "source"> {
  source?: WorkOrderSource | undefined;
  inspectionId?: string;
  inspectionItemId?: string;
}

/** Creates an open work order with the organization's next number, and has whom it is assigned to notified. */
export async function createWorkOrder(db: OrgDb, ask: Clients, terms: Terms): Promise<Output<Operations["createWorkOrder"]>> {
  await refuseUnknownColleague(db, ask, terms.assignedUserId);
  const warning = await refuseLapsedInsurance(db, ask, terms.vendorId);
  return transaction(db, (tx) => addWorkOrder(tx, terms, warning));
}

/** Adds one within a transaction; that its user is a colleague was asked before, and what there is to say of its vendor's insurance. */
export async function addWorkOrder(tx: OrgTx, terms: Terms, warning?: string): Promise<Output<Operations["createWorkOrder"]>> {
  await holdNamed(tx, terms);
  const place = await placeOf(tx, terms);
  await refuseMismatch(tx, place);
  const workOrder = tx.create(WorkOrder, {
    category: "other",
    priority: "normal",
    source: "staff",
    entryPermission: "unknown",
    requestedAt: now(),
    visibility: "organization_only",
    actualCents: 0 as WorkOrder["actualCents"],
    ...columnsOf(terms),
    ...place,
    number: await nextNumber(tx),
    status: "open",
    createdByUserId: tx.principal.userId,
  });
  refuseEndBeforeStart(workOrder);
  await tx.flush();
  keepCreation(tx, workOrder);
  keepWarning(tx, workOrder, warning);
  await announce(tx, "work_order.created", { entityId: workOrder.id, data: ofWorkOrder(workOrder), audience: await audienceOf(tx, workOrder) });
  if (workOrder.vendorId ?? workOrder.assignedUserId) await announceAssigned(tx, workOrder, terms);
  return { workOrder: workOrderView(await findWorkOrder(tx, workOrder.id)) };
}

/** A work order with all that belongs to it. */
export async function getWorkOrder(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getWorkOrder"]>> {
  const [workOrder, notes, documents, estimates, changes] = await Promise.all([
    findWorkOrder(db, id),
    notesOf(db, ask, "work_order", id),
    documentsOf(db, "work_order", id),
    newestEstimates(db, id),
    newestChanges(db, id),
  ]);
  const names = await namesOf(db, ask, [...estimates.map(({ decidedByUserId }) => decidedByUserId), ...changes.map(({ actorUserId }) => actorUserId)]);
  return {
    workOrder: workOrderView(workOrder),
    notes,
    documents,
    estimates: estimates.map((row) => estimateView(row, names)),
    history: changes.map((row) => changeView(row, names)),
  };
}

type Changes = BodyOf<Operations["updateWorkOrder"]>;

/** Changes what is sent of a work order that is not finished; the result as a whole must still hold together. */
export async function updateWorkOrder(db: OrgDb, ask: Clients, id: string, changes: Changes): Promise<Output<Operations["updateWorkOrder"]>> {
  if (changes.assignedUserId || changes.vendorId) await findWorkOrder(db, id);
  await refuseUnknownColleague(db, ask, changes.assignedUserId);
  const warning = await refuseLapsedInsurance(db, ask, changes.vendorId);
  return transaction(db, async (tx) => {
    const workOrder = await lockUnfinished(tx, id);
    const { vendorId, assignedUserId } = workOrder;
    await holdNamed(tx, changes);
    if (isMoved(changes)) await refuseMismatch(tx, placeAfter(workOrder, changes));
    change(tx, workOrder, columnsOf(changes));
    refuseEndBeforeStart(workOrder);
    await announce(tx, "work_order.updated", { entityId: id, data: ofWorkOrder(workOrder), audience: await audienceOf(tx, workOrder) });
    if (workOrder.vendorId !== vendorId) keepWarning(tx, workOrder, warning);
    if (workOrder.vendorId !== vendorId || workOrder.assignedUserId !== assignedUserId) await announceAssigned(tx, workOrder, {});
    return { workOrder: workOrderView(await findWorkOrder(tx, id)) };
  });
}

/** Who has left a lease since is no reason to refuse what has nothing to do with it. */
const isMoved = ({ propertyId, unitId, leaseId, tenantId }: Changes): boolean => [propertyId, unitId, leaseId, tenantId].some((sent) => sent !== undefined);

/** The place after a change. */
function placeAfter(workOrder: WorkOrder, { propertyId, unitId, leaseId, tenantId }: Changes): Place {
  const after = <T>(sent: T | undefined, before: T) => (sent === undefined ? before : sent);
  return {
    propertyId: propertyId ?? workOrder.propertyId,
    unitId: after(unitId, workOrder.unitId),
    leaseId: after(leaseId, workOrder.leaseId),
    tenantId: after(tenantId, workOrder.tenantId),
  };
}
