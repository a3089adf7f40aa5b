/** Rules of maintenance requests in the tenant portal. */
import type { Lease } from "@freehold/contract/leases/leases";
import { conflict, forbidden, invalid, unknownReference } from "@freehold/kit/errors";
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

type OwnLease = Pick<Lease, "id" | "status">;

/**
 * Returns the lease of a maintenance request, one of those in `residenceIds` under which the tenant lives in the unit or is going to: the lease
 * `leaseId` if given, otherwise the only active lease, or without active leases the only one. Throws 400 when the lease is unknown or
 * ambiguous, 409 when the tenant does not live under it.
 */
export function resolveMaintenanceRequestLease<L extends OwnLease>(ownLeases: readonly L[], residenceIds: ReadonlySet<string>, leaseId: string | undefined): L {
  const selectedLease = leaseId === undefined ? undefined : ownLeases.find(({ id }) => id === leaseId);
  if (leaseId !== undefined && !selectedLease) throw unknownReference("leaseId", "lease");
  const candidates = (selectedLease ? [selectedLease] : ownLeases).filter(({ id }) => residenceIds.has(id));
  const activeLeases = candidates.filter(({ status }) => status === "active");
  const [lease, secondLease] = activeLeases.length > 0 ? activeLeases : candidates;
  if (!lease) throw conflict("You do not live in a unit under this lease. Ask the office for help.", "lease_not_active");
  if (secondLease)
    throw invalid([{ path: "leaseId", code: "required", message: "You have several leases. Set leaseId to the lease that the request is about." }]);
  return lease;
}
