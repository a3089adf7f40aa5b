/** Rules of the tenant portal: access to a lease, and the lease of a maintenance request. */
import type { Lease } from "@freehold/contract/leases/leases";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";

interface LeaseWithOccupants {
  status: string;
  endDate: string | null;
  terminationDate: string | null;
  occupants: readonly Pick<Lease["occupants"][number], "tenantId" | "role" | "releasedOn">[];
}

type LeaseOccupant = LeaseWithOccupants["occupants"][number];

const isTenantRole = ({ role }: LeaseOccupant): boolean => role === "primary" || role === "co_tenant";

/** Tells whether an occupant stayed until the lease ended: until its termination, or as one of the last tenants of an expired lease. */
function hasStayed({ status, endDate, terminationDate, occupants }: LeaseWithOccupants, releasedOn: string): boolean {
  if (status === "terminated") return terminationDate !== null && releasedOn >= terminationDate;
  const isLast = occupants.every((other) => !isTenantRole(other) || (other.releasedOn !== null && other.releasedOn <= releasedOn));
  return status === "expired" && endDate !== null && releasedOn >= endDate && isLast;
}

/**
 * Tells whether a tenant has access to a lease on a day: as the primary occupant or a co-tenant until the release, and also
 * afterwards after staying until the end of the lease. Drafts and cancelled leases are the office's.
 */
export const isTenantOnLease = (lease: LeaseWithOccupants, tenantId: string, day: string): boolean =>
  lease.status !== "draft" &&
  lease.status !== "cancelled" &&
  lease.occupants.some(
    (occupant) =>
      occupant.tenantId === tenantId &&
      isTenantRole(occupant) &&
      (occupant.releasedOn === null || occupant.releasedOn > day || hasStayed(lease, occupant.releasedOn)),
  );

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
