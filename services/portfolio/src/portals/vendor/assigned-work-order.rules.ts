/** What a vendor can say to work that was assigned to it. */
import { conflict } from "@freehold/kit/errors";
import { requireUnfinishedWorkOrder, type WorkOrderStatus } from "../../maintenance/work-orders/work-order.rules.ts";

interface Assigned {
  status: WorkOrderStatus;
  acceptedAt?: Date | null | undefined;
}

/** Refuses to accept work that was accepted or is finished. */
export function requireAcceptable({ status, acceptedAt }: Assigned): void {
  requireUnfinishedWorkOrder(status);
  if (acceptedAt) throw conflict("The work order is accepted already and cannot be accepted again.", "invalid_transition");
}

/** Refuses to decline work that the vendor has started, or that is finished. Work that another one started can be declined until it is accepted. */
export function requireDeclinable({ status, acceptedAt }: Assigned): void {
  requireUnfinishedWorkOrder(status);
  if (status === "in_progress" && acceptedAt)
    throw conflict("The work order is in_progress and cannot be declined. Ask the office to give it to somebody else.", "invalid_transition");
}
