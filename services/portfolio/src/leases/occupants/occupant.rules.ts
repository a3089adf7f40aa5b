/** Who may live under a lease, who stays, and on which days. */
import type { leaseOccupants } from "@freehold/contract/lease-occupants";
import type { BodyOf } from "@freehold/contract/operation";
import { conflict, invalid } from "@freehold/kit/errors";

type Operations = (typeof leaseOccupants)["operations"];

interface Named {
  role: string;
  isPrimary?: boolean | undefined;
  tenantId?: string | null | undefined;
}

/** Refuses a primary occupant who is not the lease's tenant, and the lease's tenant in any other role. */
export function refuseWrongPrimary(lease: { tenantId: string }, { role, isPrimary, tenantId }: Named): void {
  const isTenants = tenantId === lease.tenantId;
  if ((role === "primary") !== (isPrimary ?? role === "primary"))
    throw invalid([{ path: "isPrimary", code: "mismatch", message: "isPrimary must be true for the primary occupant and for nobody else." }]);
  if ((role === "primary") !== isTenants)
    throw invalid([{ path: "role", code: "mismatch", message: "The lease's tenant is its primary occupant, and nobody else is. Check role." }]);
}

/** Refuses to name one tenant twice on a lease. */
export function refuseTwice(people: readonly { id?: string; tenantId?: string | null | undefined }[], tenantId: string | null | undefined, id?: string): void {
  if (tenantId && people.some((one) => one.tenantId === tenantId && one.id !== id))
    throw conflict("The tenant is on the lease already.", "duplicate", [{ path: "tenantId", code: "unique", message: "tenantId is on the lease already." }]);
}

/** Refuses to change who is the primary occupant: that is the lease's tenant. */
export function refuseOtherPrimary(occupant: { isPrimary: boolean }, { role, tenantId }: BodyOf<Operations["updateOccupant"]>): void {
  if (role && (role === "primary") !== occupant.isPrimary)
    throw invalid([{ path: "role", code: "mismatch", message: "The lease's tenant is its primary occupant, and nobody else is. Check role." }]);
  if (tenantId && occupant.isPrimary)
    throw invalid([{ path: "tenantId", code: "not_allowed", message: "The primary occupant is the lease's tenant. Change the tenantId of the lease." }]);
}

/** Refuses to take away the primary occupant whom a lease in force, or about to be, cannot do without. */
export function refuseWithoutPrimary(lease: { status: string }, { isPrimary }: { isPrimary: boolean }): void {
  if (isPrimary && ["pending", "active"].includes(lease.status))
    throw conflict(`The lease is ${lease.status} and needs its primary occupant. Terminate or cancel the lease instead.`, "resource_in_use");
}

/** Refuses to release somebody who was released. */
export function refuseReleased({ releasedOn }: { releasedOn?: string | null | undefined }): void {
  if (releasedOn) throw conflict(`The occupant was released on ${releasedOn} and cannot be released again.`, "invalid_transition");
}

interface Stay {
  moveInDate?: string | null | undefined;
  moveOutDate?: string | null | undefined;
  releasedOn?: string | null | undefined;
}

/** Refuses a stay that ends before it begins; `path` is the member that ends it. */
export function refuseBackwards({ moveInDate, moveOutDate, releasedOn }: Stay, startDate: string): void {
  const first = moveInDate ?? startDate;
  for (const [path, day] of Object.entries({ releasedOn, moveOutDate })) {
    if (day && day < first) throw invalid([{ path, code: "before_start", message: `${path} cannot be before ${first}, the day of moving in.` }]);
  }
}
