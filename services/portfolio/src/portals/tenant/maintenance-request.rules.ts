import type { WorkOrder } from "@freehold/contract/maintenance/work-orders";
import { conflict, forbidden } from "@freehold/kit/errors";

/** Throws 403 for a request that was not created by a tenant, and 409 for one that is not open. */
export function requireCancellableByTenant({ source, status }: Pick<WorkOrder, "source" | "status">): void {
  if (source !== "tenant") throw forbidden("Only your own maintenance requests can be cancelled here. Ask the office.", "scope_forbidden");
  if (status !== "open")
    throw conflict(`The maintenance request is ${status} and cannot become cancelled. Only an open one can be cancelled.`, "invalid_transition");
}
