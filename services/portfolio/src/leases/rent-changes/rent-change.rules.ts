/** Rent of a lease on a day, and the days on which a rent change can take effect. */
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import { sumOfCents } from "@freehold/domain/parts-in-proportion";
import { conflict, invalid } from "@freehold/kit/errors";
import type { RecurringChargeRule } from "@freehold/contract/ledger/recurring-charges";

interface Change {
  effectiveDate: string;
  rentCents: number;
  previousRentCents: number;
}

/** Returns the initial rent of a lease: the rent before its first rent change, or `rentCents` without rent changes. */
export const initialRent = <C extends number>(changes: readonly { previousRentCents: C }[], rentCents: C): C => changes[0]?.previousRentCents ?? rentCents;

/** Returns the rent on a day. The changes are in order of their effective dates. */
export const rentOn = <C extends number>(initialRentCents: C, changes: readonly { effectiveDate: string; rentCents: C }[], day: string): C =>
  changes.findLast(({ effectiveDate }) => effectiveDate <= day)?.rentCents ?? initialRentCents;

/** Splits the days from `from` to `to`, both included, into periods of equal rent. */
export function rentPeriods(rentCents: number, changes: readonly Change[], from: string, to: string) {
  const initialRentCents = initialRent(changes, rentCents);
  const starts = [from, ...changes.map(({ effectiveDate }) => effectiveDate).filter((day) => day > from && day <= to)];
  return starts.map((start, index) => {
    const nextStart = starts[index + 1];
    return { from: start, to: nextStart ? addDays(nextStart, -1) : to, rentCents: rentOn(initialRentCents, changes, start) };
  });
}

interface RentTerm {
  startDate: string;
  termType: string;
  endDate?: string | null | undefined;
  supersededFrom?: string | null | undefined;
}

/** Returns the last day with rent of an active lease, or null when the lease continues until it is terminated. */
export function lastRentDay({ termType, endDate, supersededFrom }: RentTerm): string | null {
  const fixedEnd = termType === "fixed" ? (endDate ?? null) : null;
  const dayBeforeRenewal = supersededFrom ? addDays(supersededFrom, -1) : null;
  return fixedEnd && dayBeforeRenewal ? minDate(fixedEnd, dayBeforeRenewal) : (fixedEnd ?? dayBeforeRenewal);
}

/** Throws 400 unless the effective date is after the first day of the lease and not after its last day. */
export function requireDuringLease(lease: RentTerm, effectiveDate: string): void {
  if (effectiveDate <= lease.startDate)
    throw invalid([
      {
        path: "effectiveDate",
        code: "before_start",
        message: `effectiveDate must be after ${lease.startDate}, the day on which the lease starts with its rent.`,
      },
    ]);
  const lastDay = lastRentDay(lease);
  if (lastDay && effectiveDate > lastDay)
    throw invalid([{ path: "effectiveDate", code: "max", message: `effectiveDate can be at most ${lastDay}, the last day of the lease.` }]);
}

/** Throws 409 when rent was charged for the effective date. */
export function requireNotCharged(effectiveDate: string, chargedThrough: string | undefined): void {
  if (!chargedThrough || effectiveDate > chargedThrough) return;
  const message = `Rent is charged through ${chargedThrough} already. Choose ${addDays(chargedThrough, 1)} or later, or void that charge first.`;
  throw conflict(message, "resource_in_use", [{ path: "effectiveDate", code: "not_allowed", message }]);
}

/** Throws 409 when a rent change to delete has taken effect or was charged. */
export function requireDeletable(effectiveDate: string, today: string, chargedThrough: string | undefined): void {
  if (effectiveDate <= today)
    throw conflict(
      `The rent changed on ${effectiveDate}, so that change cannot be deleted. Record a change for the same day with the right rent instead.`,
      "invalid_transition",
    );
  if (chargedThrough && effectiveDate <= chargedThrough)
    throw conflict(`Rent is charged through ${chargedThrough} already, so the change cannot be deleted. Void that charge first.`, "resource_in_use");
}

type RentRule = Pick<RecurringChargeRule, "kind" | "status" | "label" | "amountCents" | "startDate" | "endDate">;

/** Returns the recurring charges that are the rent of a lease without a rent of its own: its parts. */
const rentPartsOf = ({ createRecurringRent }: { createRecurringRent: boolean }, rules: readonly RentRule[]): RentRule[] =>
  createRecurringRent ? [] : rules.filter(({ kind, status }) => kind === "rent" && (status === "active" || status === "paused"));

const partsOn = (parts: readonly RentRule[], day: string): RentRule[] =>
  parts.filter(({ startDate, endDate }) => startDate <= day && (endDate === null || day <= endDate));

const rentOf = (parts: readonly RentRule[]): number => sumOfCents(parts.map(({ amountCents }) => amountCents));

/** Tells whether a rent differs from the sum of the parts in which the rent of a lease is charged on its last day. False for a lease without parts. */
export function replacesRentParts(lease: { createRecurringRent: boolean }, rules: readonly RentRule[], rentCents: number, lastDay: string): boolean {
  const parts = partsOn(rentPartsOf(lease, rules), lastDay);
  return parts.length > 0 && rentOf(parts) !== rentCents;
}

/** Throws 409 when the rent of a lease is charged in parts that do not add up to the new rent on its effective date: nothing would charge it. */
export function requireRentOfParts(
  lease: { createRecurringRent: boolean },
  rules: readonly RentRule[],
  { effectiveDate, rentCents }: Pick<Change, "effectiveDate" | "rentCents">,
): void {
  const parts = rentPartsOf(lease, rules);
  const charged = partsOn(parts, effectiveDate);
  if (parts.length === 0 || rentOf(charged) === rentCents) return;
  const amounts = (charged.length > 0 ? charged : parts).map(({ label, amountCents }) => `${label} (${amountCents} cents)`).join(", ");
  const message =
    `The rent of this lease is charged in parts: ${amounts}. Change these recurring charges first, so that they add up to ${rentCents} cents on ${effectiveDate}: ` +
    "PATCH /api/recurring-charges/{id} with amountCents and applyFrom. Then record the rent change.";
  throw conflict(message, "resource_in_use", [{ path: "rentCents", code: "not_allowed", message }]);
}
