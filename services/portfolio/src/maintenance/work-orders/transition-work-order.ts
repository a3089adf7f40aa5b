import type { BodyOf, Output } from "@freehold/contract/operation";
import type { workOrders } from "@freehold/contract/maintenance/work-orders";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { insertNote } from "../../documents/notes/notes.ts";
import { changeWorkOrder, lockWorkOrder } from "./change-work-order.ts";
import { workOrderAudience, workOrderEventData } from "./work-order-events.ts";
import { findExpenseIds } from "./work-order-expenses.ts";
import { transitionTimestamps, workOrderStateMachine } from "./work-order.rules.ts";
import { workOrderView } from "./work-order.view.ts";
import { getWorkOrderRow } from "./work-orders.queries.ts";

type Operation = (typeof workOrders)["operations"]["transitionWorkOrder"];
type Terms = BodyOf<Operation>;

/**
 * Changes the status of a work order, with an optional note. Locks the row, so a concurrent transition is checked against the
 * new status. A transition by a vendor who has not accepted the work order also accepts it.
 */
export async function transitionWorkOrder(
  db: OrgDb,
  clients: Clients,
  id: string,
  { status, note, completedAt, actualCents }: Terms,
): Promise<Output<Operation>> {
  const transitionedAt = completedAt === undefined ? now() : new Date(completedAt);
  if (transitionedAt > now()) throw invalid([{ path: "completedAt", code: "max", message: "completedAt cannot be in the future." }]);
  const expenseIdsOf = await findExpenseIds(db, clients, [id]);
  return transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    const formerStatus = workOrder.status;
    workOrderStateMachine.transition(formerStatus, status);
    const isVendor = tx.principal.role === "vendor";
    const acceptance = isVendor && !workOrder.acceptedAt && { acceptedAt: now() };
    changeWorkOrder(tx, workOrder, {
      status,
      ...transitionTimestamps(status, workOrder.startedAt, transitionedAt),
      ...omitUndefined({ actualCents }),
      ...acceptance,
    });
    const visibility = isVendor ? "vendor_shared" : "organization_only";
    if (note !== undefined) await insertNote(tx, { entityType: "work_order", entityId: id, body: note, visibility });
    await publish(tx, "work_order.transitioned", {
      entityId: id,
      data: { ...workOrderEventData(workOrder), from: formerStatus },
      audience: await workOrderAudience(tx, workOrder),
    });
    return { workOrder: workOrderView(await getWorkOrderRow(tx, id), expenseIdsOf(id)) };
  });
}
