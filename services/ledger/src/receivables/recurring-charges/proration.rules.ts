/** Proration of rent over partial months. The final amount is rounded once, half a cent up. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { daysBetween, daysInMonth, minDate, endOfMonth, maxDate, monthsBetween } from "@freehold/kit/time/plain-date";

/** Returns the rent for a range of days within one month, both ends included. A whole month costs the full rent. */
export function prorate(method: Policies["prorationMethod"], rentCents: number, from: string, to: string): number {
  const days = daysBetween(from, to) + 1;
  const monthDays = daysInMonth(from);
  if (days >= monthDays) return rentCents;
  switch (method) {
    case "actual_days":
      return roundedShare(rentCents, days, monthDays);
    case "thirty_day":
      return roundedShare(rentCents, Math.min(days, 30), 30);
    case "annual_365":
      return roundedShare(rentCents, 12 * days, 365);
  }
}

/** Returns the number of days by which the method divides the rent. */
const divisorDays = (method: Policies["prorationMethod"], day: string): number => ({ actual_days: daysInMonth(day), thirty_day: 30, annual_365: 365 })[method];

/** Rent charged for a date range, both ends included. */
interface RentSpan {
  from: string;
  to: string;
  rentCents: number;
}

/** Returns the prorated amount of each rent for each month of its date range. */
export const prorationLines = (method: Policies["prorationMethod"], spans: readonly RentSpan[]) =>
  spans.flatMap((span) =>
    monthsBetween(span.from, span.to).map((month) => {
      const [from, to] = [maxDate(month, span.from), minDate(endOfMonth(month), span.to)];
      const { rentCents } = span;
      return {
        from,
        to,
        days: daysBetween(from, to) + 1,
        daysInPeriod: divisorDays(method, from),
        rentCents,
        amountCents: prorate(method, rentCents, from, to),
      };
    }),
  );

/** Returns cents × numerator ÷ denominator, rounded half up. The product is computed as a bigint, because it may exceed the safe integers. */
export const roundedShare = (cents: number, numerator: number, denominator: number): number => {
  const [product, divisor] = [BigInt(cents) * BigInt(numerator), BigInt(denominator)];
  return Number((2n * product + divisor) / (2n * divisor));
};
