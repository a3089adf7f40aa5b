/** A vendor's work orders, as far as `work-order.access.ts` lets the vendor: those assigned to it. */
import type { AssignedWorkOrder, vendorPortal } from "@freehold/contract/portals/vendor-portal";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { insertNote } from "../../documents/notes/notes.ts";
import { publishAssignment } from "../../maintenance/work-orders/assign-work-order.ts";
import { changeWorkOrder, lockUnfinishedWorkOrder, lockWorkOrder } from "../../maintenance/work-orders/change-work-order.ts";
import { createWorkOrderEstimate } from "../../maintenance/work-orders/estimates/estimates.ts";
import { transitionWorkOrder } from "../../maintenance/work-orders/transition-work-order.ts";
import { workOrderAudience, workOrderEventData } from "../../maintenance/work-orders/work-order-events.ts";
import type { WorkOrder } from "../../maintenance/work-orders/work-order.entity.ts";
import { requireEndAfterStart } from "../../maintenance/work-orders/work-order.rules.ts";
import { workOrderColumns, workOrderView } from "../../maintenance/work-orders/work-order.view.ts";
import { getWorkOrder, listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { getWorkOrderRow } from "../../maintenance/work-orders/work-orders.queries.ts";
import { addPortalComment } from "../comment.ts";
import { requireAcceptable, requireDeclinable } from "./assigned-work-order.rules.ts";
import { assignedWorkOrderView, assignedWorkOrderViews } from "./assigned-work-order.view.ts";

type Operations = (typeof vendorPortal)["operations"];
type Answer = Promise<{ workOrder: AssignedWorkOrder }>;

type Listed = Operations["listAssignedWorkOrders"];

export async function listAssignedWorkOrders(db: OrgDb, query: QueryOf<Listed>): Promise<Output<Listed>> {
  const { workOrders, ...paging } = await listWorkOrders(db, query);
  return { workOrders: await assignedWorkOrderViews(db, workOrders), ...paging };
}

/** A work order with what is shared with the caller about it, and its own estimates. */
export async function getAssignedWorkOrder(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getAssignedWorkOrder"]>> {
  const { workOrder, notes, documents, estimates } = await getWorkOrder(db, clients, id);
  return { workOrder: await assignedWorkOrderView(db, workOrder), notes, documents, estimates };
}

/** Announces what changed, and answers the work order as it is then. */
async function changed(tx: OrgTx, workOrder: WorkOrder): Answer {
  await publish(tx, "work_order.updated", { entityId: workOrder.id, data: workOrderEventData(workOrder), audience: await workOrderAudience(tx, workOrder) });
  return { workOrder: await assignedWorkOrderView(tx, workOrderView(await getWorkOrderRow(tx, workOrder.id))) };
}

/** The vendor will do the work: of several who say so at the same time one does. */
export const acceptAssignedWorkOrder = (db: OrgDb, id: string): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    requireAcceptable(workOrder);
    changeWorkOrder(tx, workOrder, { acceptedAt: now() });
    return changed(tx, workOrder);
  });

/** The vendor will not: the office has it again, without an appointment, and is told why. Answers it as the vendor gave it back. */
export const declineAssignedWorkOrder = (db: OrgDb, id: string, { reason }: BodyOf<Operations["declineAssignedWorkOrder"]>): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    requireDeclinable(workOrder);
    changeWorkOrder(tx, workOrder, { acceptedAt: null, scheduledStart: null, scheduledEnd: null });
    const answer = { workOrder: await assignedWorkOrderView(tx, workOrderView(await getWorkOrderRow(tx, id))) };
    changeWorkOrder(tx, workOrder, { vendorId: null });
    if (reason !== undefined) await insertNote(tx, { entityType: "work_order", entityId: id, body: reason, visibility: "organization_only" });
    await publishAssignment(tx, workOrder, {});
    return answer;
  });

/** Moves the work on. */
export async function transitionAssignedWorkOrder(db: OrgDb, id: string, move: BodyOf<Operations["transitionAssignedWorkOrder"]>): Answer {
  const { workOrder } = await transitionWorkOrder(db, id, move);
  return { workOrder: await assignedWorkOrderView(db, workOrder) };
}

/** Says when the vendor comes. */
export const scheduleAssignedWorkOrder = (db: OrgDb, id: string, appointment: BodyOf<Operations["scheduleAssignedWorkOrder"]>): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockUnfinishedWorkOrder(tx, id);
    changeWorkOrder(tx, workOrder, workOrderColumns(appointment));
    requireEndAfterStart(workOrder);
    return changed(tx, workOrder);
  });

type Commented = Operations["commentOnAssignedWorkOrder"];

/** Writes a note that the office and the caller see. */
export const commentOnAssignedWorkOrder = (db: OrgDb, clients: Clients, id: string, { body }: BodyOf<Commented>): Promise<Output<Commented>> =>
  addPortalComment(db, clients, id, { body, visibility: "vendor_shared" }, (tx, workOrder) => assignedWorkOrderView(tx, workOrder));

type Estimated = Operations["estimateAssignedWorkOrder"];
type Answered = Output<Estimated>;

/** Says what the vendor would do the work for. */
export function estimateAssignedWorkOrder(db: OrgDb, id: string, terms: BodyOf<Estimated>): Promise<Answered> {
  const created: Promise<Pick<Answered, "estimate"> & Partial<Answered>> = createWorkOrderEstimate(db, id, terms);
  const answer = completeAfterCommit(created, async ({ estimate }) => ({
    workOrder: await assignedWorkOrderView(db, workOrderView(await getWorkOrderRow(db, id))),
    estimate,
  }));
  return answer as Promise<Answered>;
}
