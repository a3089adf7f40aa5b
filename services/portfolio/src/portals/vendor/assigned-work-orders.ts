/** A vendor's work orders, as far as `work-order.reach.ts` lets the vendor: those assigned to it. */
import type { AssignedWorkOrder, vendorPortal } from "@freehold/contract/vendor-portal";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { announce } from "../../announce.ts";
import type { Clients } from "../../clients.ts";
import { addNote } from "../../documents/notes/notes.ts";
import { announceAssigned } from "../../maintenance/work-orders/assign-work-order.ts";
import { change, lockUnfinished, lockWorkOrder } from "../../maintenance/work-orders/change-work-order.ts";
import { createWorkOrderEstimate } from "../../maintenance/work-orders/estimates/estimates.ts";
import { transitionWorkOrder } from "../../maintenance/work-orders/transition-work-order.ts";
import { audienceOf, ofWorkOrder } from "../../maintenance/work-orders/work-order-events.ts";
import type { WorkOrder } from "../../maintenance/work-orders/work-order.entity.ts";
import { refuseEndBeforeStart } from "../../maintenance/work-orders/work-order.rules.ts";
import { columnsOf, workOrderView } from "../../maintenance/work-orders/work-order.view.ts";
import { getWorkOrder, listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { findWorkOrder } from "../../maintenance/work-orders/work-orders.queries.ts";
import { comment } from "../comment.ts";
import { refuseToAccept, refuseToDecline } from "./assigned-work-order.rules.ts";
import { assignedView, assignedViews } from "./assigned-work-order.view.ts";

type Operations = (typeof vendorPortal)["operations"];
type Answer = Promise<{ workOrder: AssignedWorkOrder }>;

type Listed = Operations["listAssignedWorkOrders"];

export async function listAssignedWorkOrders(db: OrgDb, query: QueryOf<Listed>): Promise<Output<Listed>> {
  const { workOrders, ...paging } = await listWorkOrders(db, query);
  return { workOrders: await assignedViews(db, workOrders), ...paging };
}

/** A work order with what is shared with the caller about it, and its own estimates. */
export async function getAssignedWorkOrder(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getAssignedWorkOrder"]>> {
  const { workOrder, notes, documents, estimates } = await getWorkOrder(db, ask, id);
  return { workOrder: await assignedView(db, workOrder), notes, documents, estimates };
}

/** Announces what changed, and answers the work order as it is then. */
async function changed(tx: OrgTx, workOrder: WorkOrder): Answer {
  await announce(tx, "work_order.updated", { entityId: workOrder.id, data: ofWorkOrder(workOrder), audience: await audienceOf(tx, workOrder) });
  return { workOrder: await assignedView(tx, workOrderView(await findWorkOrder(tx, workOrder.id))) };
}

/** The vendor will do the work: of several who say so at the same time one does. */
export const acceptAssignedWorkOrder = (db: OrgDb, id: string): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    refuseToAccept(workOrder);
    change(tx, workOrder, { acceptedAt: now() });
    return changed(tx, workOrder);
  });

/** The vendor will not: the office has it again, without an appointment, and is told why. Answers it as the vendor gave it back. */
export const declineAssignedWorkOrder = (db: OrgDb, id: string, { reason }: BodyOf<Operations["declineAssignedWorkOrder"]>): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    refuseToDecline(workOrder);
    change(tx, workOrder, { acceptedAt: null, scheduledStart: null, scheduledEnd: null });
    const answer = { workOrder: await assignedView(tx, workOrderView(await findWorkOrder(tx, id))) };
    change(tx, workOrder, { vendorId: null });
    if (reason !== undefined) await addNote(tx, { entityType: "work_order", entityId: id, body: reason, visibility: "organization_only" });
    await announceAssigned(tx, workOrder, {});
    return answer;
  });

/** Moves the work on. */
export async function transitionAssignedWorkOrder(db: OrgDb, id: string, move: BodyOf<Operations["transitionAssignedWorkOrder"]>): Answer {
  const { workOrder } = await transitionWorkOrder(db, id, move);
  return { workOrder: await assignedView(db, workOrder) };
}

/** Says when the vendor comes. */
export const scheduleAssignedWorkOrder = (db: OrgDb, id: string, appointment: BodyOf<Operations["scheduleAssignedWorkOrder"]>): Answer =>
  transaction(db, async (tx) => {
    const workOrder = await lockUnfinished(tx, id);
    change(tx, workOrder, columnsOf(appointment));
    refuseEndBeforeStart(workOrder);
    return changed(tx, workOrder);
  });

type Commented = Operations["commentOnAssignedWorkOrder"];

/** Writes a note that the office and the caller see. */
export const commentOnAssignedWorkOrder = (db: OrgDb, ask: Clients, id: string, { body }: BodyOf<Commented>): Promise<Output<Commented>> =>
  comment(db, ask, id, { body, visibility: "vendor_shared" }, (tx, workOrder) => assignedView(tx, workOrder));

type Estimated = Operations["estimateAssignedWorkOrder"];
type Answered = Output<Estimated>;

/** Says what the vendor would do the work for. */
export function estimateAssignedWorkOrder(db: OrgDb, id: string, terms: BodyOf<Estimated>): Promise<Answered> {
  const created: Promise<Pick<Answered, "estimate"> & Partial<Answered>> = createWorkOrderEstimate(db, id, terms);
  const answer = completeAfterCommit(created, async ({ estimate }) => ({
    workOrder: await assignedView(db, workOrderView(await findWorkOrder(db, id))),
    estimate,
  }));
  return answer as Promise<Answered>;
}
