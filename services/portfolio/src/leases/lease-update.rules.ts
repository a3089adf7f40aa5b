/** Rules of lease updates: the terms that a request can change, and the term that must result. */
import type { FieldError } from "@freehold/contract/errors";
import type { leases } from "@freehold/contract/leases/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { conflict, invalid } from "@freehold/kit/errors";

type LeaseChanges = BodyOf<(typeof leases)["operations"]["updateLease"]>;

const agreedTerms = ["rentCents", "startDate", "propertyId", "unitId", "tenantId"] as const;
const unitAndTenant = ["propertyId", "unitId", "tenantId"] as const;
const endOfTerm = ["endDate", "termType"] as const;

const changedAmong = (changes: LeaseChanges, members: readonly (keyof LeaseChanges)[]) => members.filter((member) => changes[member] !== undefined);

/** Tells whether a request changes terms that are fixed once the lease is active or has postings. */
export const changesAgreedTerms = (changes: LeaseChanges): boolean => changedAmong(changes, agreedTerms).length > 0;

interface LeaseState {
  status: string;
  supersededFrom?: string | null | undefined;
  renewedFromLeaseId?: string | null | undefined;
}

/**
 * Throws 409 that names each term fixed by the status of the lease, by postings in the ledger, or by a renewal. Money that is posted on a
 * draft stays with its property, unit and tenant; on a pending lease it follows from the rent and the start as well.
 */
export function requireChangeableTerms(lease: LeaseState, changes: LeaseChanges, hasUnreversedEntries: boolean): void {
  if (lease.status === "active")
    requireUnchanged(
      changedAmong(changes, agreedTerms),
      "of an active lease cannot be changed. Renew or terminate the lease instead; for another rent, record a rent change.",
    );
  if (hasUnreversedEntries && (lease.status === "draft" || lease.status === "pending"))
    requireUnchanged(
      changedAmong(changes, lease.status === "draft" ? unitAndTenant : agreedTerms),
      "cannot be changed while money is posted on the lease. Void its charges and reverse its payments first.",
    );
  if (lease.renewedFromLeaseId)
    requireUnchanged(changedAmong(changes, unitAndTenant), "of a renewal is that of the lease it renews. Create a new lease instead.");
  if (lease.supersededFrom)
    requireUnchanged(
      changedAmong(changes, endOfTerm),
      `cannot be changed, since the renewal of the lease starts on ${lease.supersededFrom}. Cancel the renewal first.`,
    );
}

function requireUnchanged(changedPaths: readonly string[], reason: string): void {
  if (changedPaths.length === 0) return;
  const errors = changedPaths.map((path): FieldError => ({ path, code: "not_allowed", message: `${path} ${reason}` }));
  throw conflict(errors[0]!.message, "resource_in_use", errors);
}

interface TermDates {
  termType: string;
  startDate: string;
  endDate?: string | null | undefined;
}

/** Throws 400 when the lease ends before it starts, or has no end date without being month to month. */
export function requireValidTerm({ termType, startDate, endDate }: TermDates): void {
  if (!endDate && termType !== "month_to_month")
    throw invalid([{ path: "endDate", code: "required", message: "endDate is required unless the lease is month to month." }]);
  if (endDate && endDate < startDate)
    throw invalid([{ path: "endDate", code: "before_start", message: `endDate cannot be before ${startDate}, the day on which the lease starts.` }]);
}
