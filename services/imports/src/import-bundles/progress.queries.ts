/** Speed and estimated end of the job of a bundle. */
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Interval of the measurements in seconds. */
const INTERVAL_S = 1;
/** Weight of the last measurement in the moving average. */
const WEIGHT = 0.3;
/** Speed below which the end is not estimated. */
const MIN_RATE = 0.01;

/**
 * Assignments that measure the speed of a bundle that has processed a number of steps: a moving average over intervals of at least a second,
 * which begins anew with each count from 0. The time that the bundle waited for a retry does not count.
 */
export function rateAssignments(processed: number): RawBuilder<unknown> {
  if (processed === 0) return sql`rate = null, rated_at = now(), rated_steps = 0`;
  const isDue = sql`retry_at is null and rated_at <= now() - make_interval(secs => ${INTERVAL_S})`;
  const measured = sql`greatest(0, ${processed}::int - rated_steps) / extract(epoch from now() - rated_at)::double precision`;
  return sql`rate = case when ${isDue} then coalesce(rate * (1 - ${WEIGHT}::double precision) + ${WEIGHT}::double precision * ${measured}, ${measured}) else rate end,
    rated_steps = case when ${isDue} or retry_at is not null then ${processed} else rated_steps end,
    rated_at = case when ${isDue} or retry_at is not null then now() else rated_at end`;
}

/** Columns of the speed and the estimated end of a bundle: null while nothing is running, the bundle waits for a retry, or nothing is measured yet. */
export const speedColumns = sql`case when phase is not null and retry_at is null then round(rate::numeric, 1)::double precision end as rows_per_second,
  case when phase is not null and retry_at is null and rate >= ${MIN_RATE}
    then date_trunc('milliseconds', rated_at + make_interval(secs => greatest(0, total - rated_steps) / rate)) end as estimated_end_at`;
