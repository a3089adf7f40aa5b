/** Rules for accepting and declining an assigned work order. */
import { conflict } from "@freehold/kit/errors";
import { requireUnfinishedWorkOrder, type WorkOrderStatus } from "../../maintenance/work-orders/work-order.rules.ts";

interface AssignedWorkOrderState {
  status: WorkOrderStatus;
  acceptedAt?: Date | null | undefined;
}

/** Throws 409 when the work order was already accepted, or is completed or cancelled. */
export function requireAcceptable({ status, acceptedAt }: AssignedWorkOrderState): void {
  requireUnfinishedWorkOrder(status);
  if (acceptedAt) throw conflict("The work order has already been accepted. No further step is needed.", "invalid_transition");
}

/**
 * Throws 409 when the work order is completed or cancelled, or both accepted and in progress. A work order that a previous
 * vendor started can be declined until the newly assigned vendor accepts it.
 */
export function requireDeclinable({ status, acceptedAt }: AssignedWorkOrderState): void {
  requireUnfinishedWorkOrder(status);
  if (status === "in_progress" && acceptedAt)
    throw conflict("The work order is in progress and can no longer be declined. Ask the office to assign it to another vendor.", "invalid_transition");
}
