/** What a part of a month costs. Rounded once, half a cent up, on the final amount. */
import type { Policies } from "@freehold/contract/accounts";
import { daysBetween, daysInMonth, minDate, endOfMonth, maxDate, monthsBetween } from "@freehold/kit/time/plain-date";

/** The rent from one day to another of the same month, both included. A whole month costs the whole rent. */
export function prorate(method: Policies["prorationMethod"], rentCents: number, from: string, to: string): number {
  const days = daysBetween(from, to) + 1;
  const monthDays = daysInMonth(from);
  if (days >= monthDays) return rentCents;
  switch (method) {
    case "actual_days":
      return roundHalfUp(rentCents, days, monthDays);
    case "thirty_day":
      return roundHalfUp(rentCents, Math.min(days, 30), 30);
    case "annual_365":
      return roundHalfUp(rentCents, 12 * days, 365);
  }
}

/** Of how many days a part of a month is counted. */
const daysInPeriod = (method: Policies["prorationMethod"], day: string): number => ({ actual_days: daysInMonth(day), thirty_day: 30, annual_365: 365 })[method];

interface Span {
  from: string;
  to: string;
  rentCents: number;
}

/** What rents cost for the days that they hold: a line for each month of each. */
export const prorationLines = (method: Policies["prorationMethod"], spans: readonly Span[]) =>
  spans.flatMap((span) =>
    monthsBetween(span.from, span.to).map((month) => {
      const [from, to] = [maxDate(month, span.from), minDate(endOfMonth(month), span.to)];
      const { rentCents } = span;
      return {
        from,
        to,
        days: daysBetween(from, to) + 1,
        daysInPeriod: daysInPeriod(method, from),
        rentCents,
        amountCents: prorate(method, rentCents, from, to),
      };
    }),
  );

/** Exact for any amount: the product may be beyond what a number counts, its share of the rent never is. */
const roundHalfUp = (cents: number, share: number, of: number): number => {
  const [product, whole] = [BigInt(cents) * BigInt(share), BigInt(of)];
  return Number((2n * product + whole) / (2n * whole));
};
