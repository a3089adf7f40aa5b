import { sql, type RawBuilder } from "../db/statement.ts";
import { now } from "../time/clock.ts";

/** A day of 25 hours, when the clocks go back. Every job runs at least once a day. */
const MAX_DELAY_SECONDS = 90_000;
/** Delay of a run whose time has passed: it lets other jobs run first, and a job that always returns a past time makes no loop. */
const PAST_DELAY_SECONDS = 1;

/**
 * Returns the seconds until a job's next run, whose time was computed with the clock of this process. As a delay, it also holds by the clock of
 * the database when this one is wrong. A time of the last second means at once.
 */
export function secondsUntil(nextRunAt: Date): number {
  const seconds = (nextRunAt.getTime() - now().getTime()) / 1_000;
  if (seconds < -1) return PAST_DELAY_SECONDS;
  return Math.min(Math.max(seconds, 0), MAX_DELAY_SECONDS);
}

/** Seconds until a time by the clock of the database, by which what waits is due; null without a time. */
export const secondsTo = (time: RawBuilder<unknown>): RawBuilder<unknown> => sql`extract(epoch from ${time} - now())::float8`;

/**
 * Returns the time of a job's next run by the clock of this process: after the seconds until work is due, or after the longest delay if that is
 * earlier or no work waits. A time that was read from the database would be wrong by the difference of the two clocks.
 */
export const nextRunIn = (seconds: number | null | undefined, maxDelayMs: number): Date =>
  new Date(now().getTime() + Math.min((seconds ?? Infinity) * 1_000, maxDelayMs));
