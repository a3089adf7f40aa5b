import type { WorkOrder } from "@freehold/contract/maintenance/work-orders";
import { conflict, forbidden } from "@freehold/kit/errors";

/** Refuses to let a tenant take back what somebody else asked for, or what somebody has begun or finished. */
export function requireCancellableByTenant({ source, status }: Pick<WorkOrder, "source" | "status">): void {
  if (source !== "tenant") throw forbidden("Only what you asked for yourself can be cancelled here. Ask the office.", "scope_forbidden");
  if (status !== "open")
    throw conflict(`The maintenance request is ${status} and cannot become cancelled. Only an open one can be taken back.`, "invalid_transition");
}
