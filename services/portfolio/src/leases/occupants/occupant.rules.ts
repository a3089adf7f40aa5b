/** Rules of occupants: the primary occupant, releases, and the dates of a stay. */
import type { FieldError } from "@freehold/contract/errors";
import type { leaseOccupants } from "@freehold/contract/leases/lease-occupants";
import type { BodyOf } from "@freehold/contract/operation";
import { conflict, invalid } from "@freehold/kit/errors";
import { minDate } from "@freehold/kit/time/plain-date";

type Operations = (typeof leaseOccupants)["operations"];

interface OccupantInput {
  role: string;
  isPrimary?: boolean | undefined;
  tenantId?: string | null | undefined;
}

/**
 * Returns an error when `isPrimary` contradicts the role, or when the role is not that of the lease's tenant, who is the only primary occupant. `prefix`
 * is the path of the occupant in the request.
 */
export function primaryOccupantError(lease: { tenantId: string }, { role, isPrimary, tenantId }: OccupantInput, prefix = ""): FieldError | undefined {
  const isPrimaryRole = role === "primary";
  if (isPrimary !== undefined && isPrimary !== isPrimaryRole)
    return { path: `${prefix}isPrimary`, code: "mismatch", message: `${prefix}isPrimary must be true for the primary occupant and for nobody else.` };
  if (isPrimaryRole !== (tenantId === lease.tenantId)) return wrongRoleAt(`${prefix}role`);
  return undefined;
}

const wrongRoleAt = (path: string): FieldError => ({
  path,
  code: "mismatch",
  message: `The lease's tenant is its primary occupant, and nobody else is. Check ${path}.`,
});

/** Throws 400 when the tenant of the lease is not its primary occupant, or another occupant is. */
export function requirePrimaryMatchesTenant(lease: { tenantId: string }, occupant: OccupantInput): void {
  const error = primaryOccupantError(lease, occupant);
  if (error) throw invalid([error]);
}

/** Throws 409 when the tenant is already an occupant of the lease. Ignores the occupant with `id`, if given. */
export function requireTenantOnce(
  occupants: readonly { id?: string; tenantId?: string | null | undefined }[],
  tenantId: string | null | undefined,
  id?: string,
): void {
  if (tenantId && occupants.some((occupant) => occupant.tenantId === tenantId && occupant.id !== id))
    throw conflict("The tenant is already on the lease. Change that occupant, or, after a release, delete it and add the tenant again.", "duplicate", [
      { path: "tenantId", code: "unique", message: "tenantId is already on the lease." },
    ]);
}

/** Throws 400 when a change would replace the primary occupant, or set its tenantId or that of another occupant to the lease's tenant. */
export function requirePrimaryUnchanged(
  lease: { tenantId: string },
  occupant: { isPrimary: boolean },
  { role, tenantId }: BodyOf<Operations["updateOccupant"]>,
): void {
  if (role && (role === "primary") !== occupant.isPrimary) throw invalid([wrongRoleAt("role")]);
  if (tenantId === lease.tenantId && !occupant.isPrimary)
    throw invalid([
      { path: "tenantId", code: "mismatch", message: "The lease's tenant is its primary occupant. Add this tenant with the role primary instead." },
    ]);
  if (tenantId && occupant.isPrimary)
    throw invalid([{ path: "tenantId", code: "not_allowed", message: "The primary occupant is the lease's tenant. Change the tenantId of the lease." }]);
}

/** Throws 409 when the occupant to release or remove is the primary one of a pending or active lease. */
export function requirePrimaryRetained(lease: { status: string }, { isPrimary }: { isPrimary: boolean }): void {
  if (isPrimary && ["pending", "active"].includes(lease.status))
    throw conflict(`The lease is ${lease.status} and needs its primary occupant. Terminate or cancel the lease instead.`, "resource_in_use");
}

/** Throws 409 when the occupant was released before. */
export function requireNotReleased({ releasedOn }: { releasedOn?: string | null | undefined }): void {
  if (releasedOn) throw conflict(`The occupant was released on ${releasedOn} and cannot be released again. Nothing needs to be done.`, "invalid_transition");
}

/** Dates between which an occupant lives in the unit; without them, from the start of the lease on. */
export interface Stay {
  moveInDate?: string | null | undefined;
  moveOutDate?: string | null | undefined;
  releasedOn?: string | null | undefined;
}

/**
 * Returns the dates of an occupant of a lease that is terminated. A release that was agreed for a later day is brought forward with its move-out,
 * and an occupant who would have moved in later moves in and out on the day of the termination.
 */
export function stayUntilTermination({ moveInDate, moveOutDate, releasedOn }: Stay, terminationDate: string): Stay {
  const isBroughtForward = releasedOn && releasedOn > terminationDate;
  return {
    moveInDate: moveInDate && minDate(moveInDate, terminationDate),
    moveOutDate: moveOutDate && !isBroughtForward ? moveOutDate : minDate(moveOutDate ?? terminationDate, terminationDate),
    releasedOn: minDate(releasedOn ?? terminationDate, terminationDate),
  };
}

/** Throws 400 when the release or the move-out is before the move-in, which defaults to the start date of the lease. */
export function requireStayInOrder({ moveInDate, moveOutDate, releasedOn }: Stay, leaseStartDate: string): void {
  const firstDay = moveInDate ?? leaseStartDate;
  for (const [path, day] of Object.entries({ releasedOn, moveOutDate })) {
    if (day && day < firstDay) throw invalid([{ path, code: "before_start", message: `${path} cannot be before ${firstDay}, the day of moving in.` }]);
  }
}
