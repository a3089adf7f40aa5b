/** The way every work order is changed: locked, within the caller's reach, and with its history. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { EntityData } from "@mikro-orm/core";
import { WorkOrder, WorkOrderChange } from "./work-order.entity.ts";
import { changedFields, requireUnfinishedWorkOrder, snapshot } from "./work-order.rules.ts";
import { getWorkOrderRow } from "./work-orders.queries.ts";

/**
 * The work order to change, locked until the commit. Whoever does not reach it gets a 404 before its version is compared.
 * The reach may have changed while the lock was waited for: what is answered is read within it once more.
 */
export async function lockWorkOrder(tx: OrgTx, id: string): Promise<WorkOrder> {
  await getWorkOrderRow(tx, id);
  return tx.getForUpdate(WorkOrder, id, "Work order");
}

/** The same, for what can only be done while there is work to do. */
export async function lockUnfinishedWorkOrder(tx: OrgTx, id: string): Promise<WorkOrder> {
  const workOrder = await lockWorkOrder(tx, id);
  requireUnfinishedWorkOrder(workOrder.status);
  return workOrder;
}

/** Changes a locked work order and writes what changed into its history. What one vendor accepted, another one has not. */
export function changeWorkOrder(tx: OrgTx, workOrder: WorkOrder, data: EntityData<WorkOrder>): void {
  const before = snapshot(workOrder);
  const at = now();
  const isAnothers = data.vendorId !== undefined && data.vendorId !== (workOrder.vendorId ?? null);
  tx.assign(workOrder, { ...data, ...(isAnothers && { acceptedAt: null }), updatedAt: at });
  for (const { field, from, to } of changedFields(before, snapshot(workOrder)))
    tx.create(WorkOrderChange, { workOrderId: workOrder.id, at, actorUserId: tx.principal.userId, field, fromValue: from, toValue: to });
}

/** The first line of a work order's history: that it is open. */
export function recordCreation(tx: OrgTx, { id, status, createdAt }: WorkOrder): void {
  tx.create(WorkOrderChange, { workOrderId: id, at: createdAt, actorUserId: tx.principal.userId, field: "status", fromValue: null, toValue: status });
}
