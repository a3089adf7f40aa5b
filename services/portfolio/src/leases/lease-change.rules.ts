/** What may change of a lease that was written, and what must hold afterwards. */
import type { FieldError } from "@freehold/contract/errors";
import type { leases } from "@freehold/contract/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { conflict, invalid } from "@freehold/kit/errors";

type Changes = BodyOf<(typeof leases)["operations"]["updateLease"]>;

const agreed = ["rentCents", "startDate", "propertyId", "unitId", "tenantId"] as const;
const place = ["propertyId", "unitId", "tenantId"] as const;
const term = ["endDate", "termType"] as const;

const named = (changes: Changes, members: readonly (keyof Changes)[]) => members.filter((member) => changes[member] !== undefined);

/** Whether a change names what a lease keeps once it runs or money is posted on it. */
export const touchesAgreed = (changes: Changes): boolean => named(changes, agreed).length > 0;

interface Standing {
  status: string;
  supersededFrom?: string | null | undefined;
  renewedFromLeaseId?: string | null | undefined;
}

/** Refuses to change what both sides, the books or another lease rely on. */
export function refuseAgreed(lease: Standing, changes: Changes, hasMoney: boolean): void {
  if (lease.status === "active")
    refuse(named(changes, agreed), "of an active lease stays. Renew or terminate the lease instead; for another rent, record a rent change.");
  if (lease.status === "pending" && hasMoney)
    refuse(named(changes, agreed), "stays while money is posted on the lease. Void its charges and reverse its payments first.");
  if (lease.renewedFromLeaseId) refuse(named(changes, place), "of a renewal is that of the lease before it. Write a new lease instead.");
  if (lease.supersededFrom) refuse(named(changes, term), `stays, since the renewal of the lease starts on ${lease.supersededFrom}. Cancel the renewal first.`);
}

function refuse(paths: readonly string[], why: string): void {
  if (paths.length === 0) return;
  const errors = paths.map((path): FieldError => ({ path, code: "not_allowed", message: `${path} ${why}` }));
  throw conflict(errors[0]!.message, "resource_in_use", errors);
}

interface Days {
  termType: string;
  startDate: string;
  endDate?: string | null | undefined;
}

/** Refuses days that make no lease: it ends on or after its first day, and only one by the month has no end. */
export function refuseImpossibleDays({ termType, startDate, endDate }: Days): void {
  if (!endDate && termType !== "month_to_month")
    throw invalid([{ path: "endDate", code: "required", message: "endDate is required unless the lease is month to month." }]);
  if (endDate && endDate < startDate)
    throw invalid([{ path: "endDate", code: "before_start", message: `endDate cannot be before ${startDate}, the day on which the lease starts.` }]);
}
