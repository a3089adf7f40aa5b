/** Row locks, access checks and change history shared by all changes of a work order. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { EntityData } from "@mikro-orm/core";
import { WorkOrder, WorkOrderChange } from "./work-order.entity.ts";
import { changedFields, requireUnfinishedWorkOrder, snapshot } from "./work-order.rules.ts";
import { getWorkOrderRow } from "./work-orders.queries.ts";

/**
 * Returns a work order, locked until the commit. Throws 404 without access, before `If-Match` is compared. Access may change
 * while the lock is awaited, so callers read the response with `getWorkOrderRow`, which checks access again.
 */
export async function lockWorkOrder(tx: OrgTx, id: string): Promise<WorkOrder> {
  await getWorkOrderRow(tx, id);
  return tx.getForUpdate(WorkOrder, id, "Work order");
}

/** Like `lockWorkOrder`; throws 409 when the work order is completed or cancelled. */
export async function lockUnfinishedWorkOrder(tx: OrgTx, id: string): Promise<WorkOrder> {
  const workOrder = await lockWorkOrder(tx, id);
  requireUnfinishedWorkOrder(workOrder.status);
  return workOrder;
}

/** Returns the vendor that a change assigns anew; undefined for the present vendor, which may be inactive or deleted by now. */
export const newVendorId = (workOrder: WorkOrder, { vendorId }: { vendorId?: string | null | undefined }): string | null | undefined =>
  vendorId === workOrder.vendorId ? undefined : vendorId;

/** Updates a locked work order and records each changed field in its history. A new vendor resets `acceptedAt`. */
export function changeWorkOrder(tx: OrgTx, workOrder: WorkOrder, data: EntityData<WorkOrder>): void {
  const before = snapshot(workOrder);
  const at = now();
  const hasChanged = (member: "vendorId" | "tenantId") => data[member] !== undefined && data[member] !== (workOrder[member] ?? null);
  tx.assign(workOrder, {
    ...data,
    ...(hasChanged("vendorId") && { acceptedAt: null }),
    ...(hasChanged("vendorId") && workOrder.vendorId && { vendorReplacedAt: at }),
    ...(hasChanged("tenantId") && workOrder.tenantId && { tenantReplacedAt: at }),
    ...(data.actualCents !== undefined && { actualCostRecordedAt: at }),
    updatedAt: at,
  });
  for (const { field, from, to } of changedFields(before, snapshot(workOrder)))
    tx.create(WorkOrderChange, { workOrderId: workOrder.id, at, actorUserId: tx.principal.userId, field, fromValue: from, toValue: to });
}

/** Records the initial status as the first entry of the history. */
export function recordCreation(tx: OrgTx, { id, status, createdAt }: WorkOrder): void {
  tx.create(WorkOrderChange, { workOrderId: id, at: createdAt, actorUserId: tx.principal.userId, field: "status", fromValue: null, toValue: status });
}
