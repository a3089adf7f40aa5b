/** How much an organization of the growth benchmarks holds. */
import { today } from "@freehold/kit/time/clock";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";

/** Lines in the journal of the large organizations; leases follow from it. */
export const LARGE_LINES = Number(process.env["BENCH_GROWTH_LINES"] ?? 5_000_000);
/** Lines in the journal of the small one: a hundredth, whatever the large ones are. */
export const SMALL_LINES = LARGE_LINES / 100;

/** Months that a lease has been charged and paid for, the current one among them. */
const MONTHS = 30;
/** A lease makes six lines with its deposit and four with each month. */
const LINES_A_LEASE = 125;
export const UNITS_A_PROPERTY = 20;
/** Of so many leases one is charged the next month's rent already. */
export const AHEAD_EVERY = 4;

export interface Size {
  /** Which organization it is: no two share an id. */
  ordinal: number;
  leases: number;
}

export const sizeOf = (ordinal: number, lines: number): Size => ({ ordinal, leases: Math.ceil(lines / LINES_A_LEASE) });

/** The first day of each month that was charged, oldest first. */
export function months(): string[] {
  const current = startOfMonth(today("America/New_York"));
  return Array.from({ length: MONTHS }, (_, index) => addMonths(current, index - MONTHS + 1));
}

/** The month whose rent is posted but not due yet: what payments of the benchmark are applied to. */
export const nextMonth = (): string => addMonths(startOfMonth(today("America/New_York")), 1);
