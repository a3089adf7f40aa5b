/** Metrics that every service has besides its requests: its database pool, events, jobs and integrity. */
import { unscopedDb, type Database, type OrgDb } from "../db/org-db.ts";
import { sql } from "../db/statement.ts";
import type { Events } from "../events/event-bus.ts";
import { countUnpublished } from "../events/outbox-reader.ts";
import type { Scheduler } from "../jobs/scheduler.ts";
import type { Metrics } from "../observability/metrics.ts";
import { isNatsResponding, oldestUnpublishedSeconds } from "./event-flow.ts";

const INTEGRITY_CHECK_MS = 60_000;

interface ServiceMetricsOptions {
  metrics: Metrics;
  database: Database;
  events: Events;
  /** Undefined for a service without jobs. */
  scheduler: Scheduler | undefined;
  integrityCheck?: (() => Promise<string | undefined>) | undefined;
}

export function registerServiceMetrics({ metrics, database, events, scheduler, integrityCheck }: ServiceMetricsOptions): void {
  const db = unscopedDb(database);
  const ageSeconds = async (query: ReturnType<typeof sql<{ seconds: number | null }>>) => Math.max(0, Number((await db.first(query))?.seconds ?? 0));

  metrics.timePool(database.pool);
  metrics.gauge("freehold_pool_waiting", "Requests waiting for a database connection", () => database.pool.waitingCount);
  metrics.gauge(
    "freehold_pool_connections",
    "Database connections, by state",
    () => ({
      busy: database.pool.totalCount - database.pool.idleCount,
      idle: database.pool.idleCount,
    }),
    "state",
  );
  metrics.gauge("freehold_outbox_waiting", "Unpublished events, at most 100 000", () => countUnpublished(database.pool));
  metrics.gauge("freehold_outbox_oldest_seconds", "Age of the oldest unpublished event", () => oldestUnpublishedSeconds(database.pool));
  metrics.gauge("freehold_consumer_lag", "Messages that this replica still has to consume", () => events.lag);
  metrics.gauge("freehold_consumer_stalled_seconds", "Time for which a partition has not advanced although messages wait", () => events.stalledSeconds);
  metrics.gauge("freehold_retry_queue_events", "Events whose consumption failed, by state", () => countRetryQueue(db), "state");
  metrics.gauge("freehold_scheduled_work_late_seconds", "Delay of the most overdue job", () =>
    ageSeconds(
      sql`select extract(epoch from now() - min(due)) as seconds from (select next_run_at as due from scheduled_work union all select requested_at from work_request) as work`,
    ),
  );
  if (scheduler)
    metrics.gauge("freehold_job_longest_run_seconds", "Time since the start of the longest unfinished run of a job", () => scheduler.longestRunSeconds);
  if (integrityCheck)
    metrics.gauge(
      "freehold_integrity_check_failed",
      "1 when the stored data contradict each other",
      throttled(async () => Number((await integrityCheck()) !== undefined)),
    );
  metrics.gauge("freehold_nats_up", "1 while NATS responds", async () => Number(await isNatsResponding(events)));
}

/** Wraps a reading so that it is taken at most once a minute. */
function throttled(read: () => Promise<number>): () => Promise<number> {
  let reading: Promise<number> | undefined;
  let readAt = 0;
  return () => {
    if (!reading || performance.now() - readAt > INTEGRITY_CHECK_MS) {
      readAt = performance.now();
      reading = read();
    }
    return reading;
  };
}

async function countRetryQueue(db: OrgDb): Promise<Record<string, number>> {
  const [count] = await db.all(sql<{ waiting: number; dead: number }>`
    select count(*) filter (where dead_at is null) as waiting, count(*) filter (where dead_at is not null) as dead from parked_event`);
  return { waiting: count!.waiting, dead: count!.dead };
}
