/** Sizes of the organizations in the growth benchmarks. */
import { today } from "@freehold/kit/time/clock";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";

/** Journal lines of a large organization; the number of leases is derived. */
export const LARGE_LINES = Number(process.env["BENCH_GROWTH_LINES"] ?? 5_000_000);
/** Journal lines of the small organization: a hundredth of a large one. */
export const SMALL_LINES = LARGE_LINES / 100;

/** Units of each portfolio in the list benchmarks. */
export const PORTFOLIO_UNITS = Number(process.env["BENCH_UNITS"] ?? 100_000);

/** Charged months per lease, including the current one. */
const MONTHS = Number(process.env["BENCH_MONTHS"] ?? 30);
/** Approximate journal lines per lease: six for the deposit and four per month. */
const LINES_PER_LEASE = 125;
export const UNITS_PER_PROPERTY = 20;
/** One in this many leases is already charged next month's rent. */
export const CHARGED_AHEAD_INTERVAL = 4;

export interface Size {
  /** Distinguishes the generated ids of the organizations. */
  ordinal: number;
  leases: number;
}

export const sizeOf = (ordinal: number, lines: number): Size => ({ ordinal, leases: Math.ceil(lines / LINES_PER_LEASE) });

/** Returns the first day of each charged month, oldest first. */
export function months(): string[] {
  const current = startOfMonth(today("America/New_York"));
  return Array.from({ length: MONTHS }, (_, index) => addMonths(current, index - MONTHS + 1));
}

/** Returns the first day of next month; its rent is posted and receives the payments of the benchmark. */
export const nextMonth = (): string => addMonths(startOfMonth(today("America/New_York")), 1);
