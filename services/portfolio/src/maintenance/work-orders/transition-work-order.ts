import type { AssignedWorkOrder } from "@freehold/contract/maintenance/assigned-work-order.schema";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { workOrders } from "@freehold/contract/maintenance/work-orders";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { forbidden, futureTimeAt, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { insertNote } from "../../documents/notes/notes.ts";
import { assignedWorkOrderView } from "../../portals/vendor/assigned-work-order.view.ts";
import { changeWorkOrder, lockWorkOrder } from "./change-work-order.ts";
import { workOrderEvent } from "./work-order-events.ts";
import { findExpenseIds } from "./work-order-expenses.ts";
import { transitionTimestamps, workOrderStateMachine } from "./work-order.rules.ts";
import { workOrderView } from "./work-order.view.ts";
import type { WorkOrder } from "./work-order.entity.ts";
import { getWorkOrderRow, type WorkOrderRow } from "./work-orders.queries.ts";

type Operation = (typeof workOrders)["operations"]["transitionWorkOrder"];
type Terms = BodyOf<Operation>;

/** Changes the status of a work order, with an optional note. A vendor receives the work order as in the vendor portal. */
export async function transitionWorkOrder(db: OrgDb, clients: Clients, id: string, terms: Terms): Promise<Output<Operation>> {
  if (db.principal.role === "vendor") return transitionAssignedWorkOrder(db, id, terms);
  const expenseIdsOf = await findExpenseIds(db, clients, [id]);
  return changeStatus(db, id, terms, (row) => ({ workOrder: workOrderView(row, expenseIdsOf(id)) }));
}

/** Starts or completes a work order for its vendor. A vendor who has not accepted the work order also accepts it. Throws 403 for a cancellation. */
export const transitionAssignedWorkOrder = (db: OrgDb, id: string, terms: Terms): Promise<{ workOrder: AssignedWorkOrder }> =>
  changeStatus(db, id, terms, async (row, tx) => ({ workOrder: await assignedWorkOrderView(tx, workOrderView(row, [])) }));

/** Changes the status of a work order. Locks the row, so a concurrent transition is checked against the new status. */
async function changeStatus<V>(
  db: OrgDb,
  id: string,
  { status, note, completedAt, actualCents }: Terms,
  toView: (row: WorkOrderRow, tx: OrgTx) => V | Promise<V>,
): Promise<V> {
  const at = resolveTransitionTime(completedAt);
  const isVendor = db.principal.role === "vendor";
  return transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    if (isVendor && status === "cancelled") throw forbidden("Only the office can cancel a work order. Decline it, or ask the office.", "scope_forbidden");
    const visibility = isVendor ? "vendor_shared" : "organization_only";
    if (note !== undefined) await insertNote(tx, { entityType: "work_order", entityId: id, body: note, visibility });
    const acceptance = isVendor && !workOrder.acceptedAt && { acceptedAt: now() };
    await applyTransition(tx, workOrder, { status, at, ...omitUndefined({ actualCents }), ...acceptance });
    return await toView(await getWorkOrderRow(tx, id), tx);
  });
}

/** Returns the time of a transition, by default now. Throws 400 for a time in the future. */
export function resolveTransitionTime(completedAt: string | undefined): Date {
  const at = completedAt === undefined ? now() : new Date(completedAt);
  if (at > now()) throw invalid([futureTimeAt("completedAt")]);
  return at;
}

interface Transition {
  status: Terms["status"];
  at: Date;
  actualCents?: WorkOrder["actualCents"];
  acceptedAt?: Date;
}

/** Changes the status of a locked work order, and other members with it, and publishes the transition. Throws 409 for a status that cannot follow. */
export async function applyTransition(tx: OrgTx, workOrder: WorkOrder, { status, at, ...changes }: Transition): Promise<void> {
  const formerStatus = workOrder.status;
  workOrderStateMachine.transition(formerStatus, status);
  changeWorkOrder(tx, workOrder, { status, ...transitionTimestamps(status, workOrder.startedAt, at), ...changes });
  await publish(tx, "work_order.transitioned", await workOrderEvent(tx, workOrder, { from: formerStatus }));
}
