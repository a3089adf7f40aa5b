import { conflict, forbidden } from "@freehold/kit/errors";
import type { WorkOrder } from "../../maintenance/work-orders/work-order.entity.ts";

type Request = Pick<WorkOrder, "source" | "status" | "createdByUserId" | "tenantReplacedAt">;

/**
 * Throws 403 for a request that was not created by or for the tenant, such as one of a former tenant of the work order, and 409 for one
 * that is not open.
 */
export function requireCancellableByTenant({ source, status, createdByUserId, tenantReplacedAt }: Request, userId: string | null): void {
  const isOwn = createdByUserId === userId || !tenantReplacedAt;
  if (source !== "tenant" || !isOwn) throw forbidden("Only your own maintenance requests can be cancelled here. Ask the office.", "scope_forbidden");
  if (status !== "open")
    throw conflict(`The maintenance request is ${status} and cannot become cancelled. Only an open one can be cancelled.`, "invalid_transition");
}
