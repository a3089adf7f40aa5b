/** Rules of lease updates: the terms that a request can change, and the term that must result. */
import type { FieldError } from "@freehold/contract/errors";
import type { leases } from "@freehold/contract/leases/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { conflict, invalid } from "@freehold/kit/errors";

type LeaseChanges = BodyOf<(typeof leases)["operations"]["updateLease"]>;

const agreedTerms = ["rentCents", "startDate", "propertyId", "unitId", "tenantId"] as const;
const chargedTerms = [...agreedTerms, "prorateFirstMonth"] as const;
const unitAndTenant = ["propertyId", "unitId", "tenantId"] as const;
const endOfTerm = ["endDate", "termType"] as const;

const changedAmong = (changes: LeaseChanges, members: readonly (keyof LeaseChanges)[]) => members.filter((member) => changes[member] !== undefined);

/** Tells whether a request changes terms that are fixed once the lease is active or has postings. */
export const changesChargedTerms = (changes: LeaseChanges): boolean => changedAmong(changes, chargedTerms).length > 0;

interface LeaseState {
  status: string;
  supersededFrom?: string | null | undefined;
  renewedFromLeaseId?: string | null | undefined;
}

/** Money of a lease in the ledger: charges and payments, and an open security deposit with transactions. */
interface LeaseMoney {
  hasUnreversedEntries: boolean;
  usedDepositId?: string | undefined;
}

/**
 * Throws 409 that names each term fixed by the status of the lease, by money in the ledger, or by a renewal. Money that is posted on a
 * draft stays with its property, unit and tenant; on a pending lease it follows from the rent, the start and the proration as well.
 */
export function requireChangeableTerms(lease: LeaseState, changes: LeaseChanges, money: LeaseMoney = { hasUnreversedEntries: false }): void {
  if (lease.status === "active")
    requireUnchanged(
      changedAmong(changes, agreedTerms),
      "of an active lease cannot be changed. Renew or terminate the lease instead; for another rent, record a rent change.",
    );
  if (lease.status === "draft" || lease.status === "pending") requireMoneyKept(changes, lease.status === "draft" ? unitAndTenant : chargedTerms, money);
  if (lease.renewedFromLeaseId)
    requireUnchanged(changedAmong(changes, unitAndTenant), "of a renewal is that of the lease it renews. Create a new lease instead.");
  if (lease.supersededFrom)
    requireUnchanged(
      changedAmong(changes, endOfTerm),
      `cannot be changed, since the renewal of the lease starts on ${lease.supersededFrom}. Cancel the renewal first.`,
    );
}

/** Throws 409 when a request changes terms that decide to whom money of the lease belongs, or how much it is. `members` are those of charges and payments. */
function requireMoneyKept(changes: LeaseChanges, members: readonly (keyof LeaseChanges)[], { hasUnreversedEntries, usedDepositId }: LeaseMoney): void {
  if (usedDepositId)
    requireUnchanged(changedAmong(changes, unitAndTenant), `cannot be changed while the security deposit ${usedDepositId} has transactions. Void these first.`);
  if (hasUnreversedEntries)
    requireUnchanged(changedAmong(changes, members), "cannot be changed while money is posted on the lease. Void its charges and reverse its payments first.");
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
