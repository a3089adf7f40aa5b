/** Rules for accepting and declining an assigned work order. */
import { conflict } from "@freehold/kit/errors";
import { requireUnfinishedWorkOrder, type WorkOrderStatus } from "../../maintenance/work-orders/work-order.rules.ts";

interface AssignedWorkOrderState {
  status: WorkOrderStatus;
  acceptedAt?: Date | null | undefined;
}

/** Throws 409 when the work order is accepted already or finished. */
export function requireAcceptable({ status, acceptedAt }: AssignedWorkOrderState): void {
  requireUnfinishedWorkOrder(status);
  if (acceptedAt) throw conflict("The work order is accepted already and cannot be accepted again.", "invalid_transition");
}

/**
 * Throws 409 when the work order is finished, or accepted and in progress. Work started by a previous vendor can be declined
 * until it is accepted.
 */
export function requireDeclinable({ status, acceptedAt }: AssignedWorkOrderState): void {
  requireUnfinishedWorkOrder(status);
  if (status === "in_progress" && acceptedAt)
    throw conflict("The work order is in_progress and cannot be declined. Ask the office to give it to somebody else.", "invalid_transition");
}
