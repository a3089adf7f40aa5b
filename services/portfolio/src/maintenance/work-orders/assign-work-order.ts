import type { BodyOf, Output } from "@freehold/contract/operation";
import type { workOrders } from "@freehold/contract/maintenance/work-orders";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { changeWorkOrder, lockUnfinishedWorkOrder, newVendorId } from "./change-work-order.ts";
import { applyInsuranceCheck, checkVendorInsurance } from "./vendor-insurance.ts";
import { participantsOf, workOrderEvent, type Participants } from "./work-order-events.ts";
import { findExpenseIds } from "./work-order-expenses.ts";
import { lockMaintenanceReferences, requireOfficeUser } from "./work-order-references.ts";
import type { WorkOrder } from "./work-order.entity.ts";
import { requireEndAfterStart } from "./work-order.rules.ts";
import { workOrderColumns, workOrderView } from "./work-order.view.ts";
import { getWorkOrderRow } from "./work-orders.queries.ts";

type Operation = (typeof workOrders)["operations"]["assignWorkOrder"];

/**
 * Assigns an unfinished work order to a vendor, an office user or both; null removes the assignment. With `notify` the
 * assignees in the request are notified.
 */
export async function assignWorkOrder(db: OrgDb, clients: Clients, id: string, { notify, ...assignment }: BodyOf<Operation>): Promise<Output<Operation>> {
  if (assignment.assignedUserId || assignment.vendorId) await getWorkOrderRow(db, id);
  await requireOfficeUser(db, clients, assignment.assignedUserId);
  const insurance = await checkVendorInsurance(db, clients, assignment.vendorId);
  const expenseIdsOf = await findExpenseIds(db, clients, [id]);
  return transaction(db, async (tx) => {
    const workOrder = await lockUnfinishedWorkOrder(tx, id);
    const before = participantsOf(workOrder);
    await lockMaintenanceReferences(tx, { vendorId: newVendorId(workOrder, assignment) });
    changeWorkOrder(tx, workOrder, workOrderColumns(assignment));
    if (workOrder.vendorId !== before.vendorId) applyInsuranceCheck(tx, workOrder, insurance);
    requireEndAfterStart(workOrder);
    await publishAssignment(tx, workOrder, notify ? assignment : {}, before);
    return { workOrder: workOrderView(await getWorkOrderRow(tx, id), expenseIdsOf(id)) };
  });
}

export interface Assignees {
  vendorId?: string | null | undefined;
  assignedUserId?: string | null | undefined;
}

/** Publishes the assignment of a work order, to those before it too. The vendor and the office user in `assigneesToNotify` are notified. */
export async function publishAssignment(tx: OrgTx, workOrder: WorkOrder, assigneesToNotify: Assignees, before?: Participants): Promise<void> {
  const notifies = [assigneesToNotify.vendorId && ("vendor" as const), assigneesToNotify.assignedUserId && ("user" as const)].filter(
    (assignee) => assignee === "vendor" || assignee === "user",
  );
  const { vendorId = null, assignedUserId = null } = workOrder;
  await publish(tx, "work_order.assigned", await workOrderEvent(tx, workOrder, { vendorId, assignedUserId, notifies }, before));
}
