/** Which rent holds on which day, and from which day on another one may. */
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import { conflict, invalid } from "@freehold/kit/errors";

interface Change {
  effectiveDate: string;
  rentCents: number;
  previousRentCents: number;
}

/** The rent that a lease began with, as the first of its changes knows it. */
export const firstRent = <C extends number>(changes: readonly { previousRentCents: C }[], rentCents: C): C => changes[0]?.previousRentCents ?? rentCents;

/** The rent on a day, of a lease that began with another; the changes are in the order of their days. */
export const rentOn = <C extends number>(first: C, changes: readonly { effectiveDate: string; rentCents: C }[], day: string): C =>
  changes.findLast(({ effectiveDate }) => effectiveDate <= day)?.rentCents ?? first;

/** The rents of a lease from one day to another, each with the days that it holds. */
export function rentSpans(rentCents: number, changes: readonly Change[], from: string, to: string) {
  const first = firstRent(changes, rentCents);
  const starts = [from, ...changes.map(({ effectiveDate }) => effectiveDate).filter((day) => day > from && day <= to)];
  return starts.map((start, index) => {
    const next = starts[index + 1];
    return { from: start, to: next ? addDays(next, -1) : to, rentCents: rentOn(first, changes, start) };
  });
}

interface Span {
  startDate: string;
  termType: string;
  endDate?: string | null | undefined;
  supersededFrom?: string | null | undefined;
}

/** The last day that a running lease has a rent for; null while it goes on until somebody ends it. */
export function lastDayOf({ termType, endDate, supersededFrom }: Span): string | null {
  const own = termType === "fixed" ? (endDate ?? null) : null;
  const followed = supersededFrom ? addDays(supersededFrom, -1) : null;
  return own && followed ? minDate(own, followed) : (own ?? followed);
}

/** Refuses a day on which the lease has no rent that could be another. */
export function refuseOutside(lease: Span, effectiveDate: string): void {
  if (effectiveDate <= lease.startDate)
    throw invalid([
      {
        path: "effectiveDate",
        code: "before_start",
        message: `effectiveDate must be after ${lease.startDate}, the day on which the lease starts with its rent.`,
      },
    ]);
  const last = lastDayOf(lease);
  if (last && effectiveDate > last)
    throw invalid([{ path: "effectiveDate", code: "max", message: `effectiveDate can be at most ${last}, the last day of the lease.` }]);
}

/** Refuses to change what rent is charged for already. */
export function refuseCharged(effectiveDate: string, chargedThrough: string | undefined): void {
  if (!chargedThrough || effectiveDate > chargedThrough) return;
  const message = `Rent is charged through ${chargedThrough} already. Choose ${addDays(chargedThrough, 1)} or later, or void that charge first.`;
  throw conflict(message, "resource_in_use", [{ path: "effectiveDate", code: "not_allowed", message }]);
}

/** Refuses to take back what holds already, or is charged already. */
export function refuseTakenEffect(effectiveDate: string, today: string, chargedThrough: string | undefined): void {
  if (effectiveDate <= today)
    throw conflict(`The rent changed on ${effectiveDate}, so that cannot be taken back. Record another change instead.`, "invalid_transition");
  if (chargedThrough && effectiveDate <= chargedThrough)
    throw conflict(`Rent is charged through ${chargedThrough} already, so the change cannot be taken back. Void that charge first.`, "resource_in_use");
}
