/** What every service tells of itself besides its requests: how far its events, its jobs and its database are behind. */
import { everywhere, type Database, type OrgDb } from "./db.ts";
import type { Events } from "./events.ts";
import type { Metrics } from "./metrics.ts";
import { sql } from "./statement.ts";

const PROBE_MS = 60_000;

interface Measured {
  metrics: Metrics;
  database: Database;
  events: Events;
  /** What is wrong with what the service keeps, if anything. */
  probe?: (() => Promise<string | undefined>) | undefined;
}

export function measure({ metrics, database, events, probe }: Measured): void {
  const db = everywhere(database);
  const secondsSince = async (oldest: ReturnType<typeof sql<{ seconds: number | null }>>) => Math.max(0, Number((await db.first(oldest))?.seconds ?? 0));

  metrics.watchPool(database.pool);
  metrics.gauge("freehold_pool_waiting", "Requests that wait for a connection to the database", () => database.pool.waitingCount);
  metrics.gauge(
    "freehold_pool_connections",
    "Connections to the database",
    () => ({
      busy: database.pool.totalCount - database.pool.idleCount,
      idle: database.pool.idleCount,
    }),
    "state",
  );
  metrics.gauge("freehold_outbox_waiting", "Events that wait to be published", () => waiting(db));
  metrics.gauge("freehold_outbox_oldest_seconds", "Age of the oldest event that waits to be published", () =>
    secondsSince(sql`select extract(epoch from now() - min(created_at)) as seconds from outbox where published_at is null`),
  );
  metrics.gauge("freehold_consumer_lag", "Events that this replica has still to consume", () => events.lag);
  metrics.gauge("freehold_parked_events", "Events that could not be consumed", () => parked(db), "state");
  metrics.gauge("freehold_scheduled_work_late_seconds", "How long the work that is most overdue is overdue", () =>
    secondsSince(
      sql`select extract(epoch from now() - min(due)) as seconds from (select next_run_at as due from scheduled_work union all select requested_at from work_request) as work`,
    ),
  );
  if (probe)
    metrics.gauge(
      "freehold_probe_failed",
      "Whether what the service keeps contradicts itself",
      seldom(async () => Number((await probe()) !== undefined)),
    );
  metrics.gauge("freehold_nats_up", "Whether the process reaches NATS", async () => Number(await events.isBusUp()));
}

/** Looks again only after a while, however often it is asked. */
function seldom(look: () => Promise<number>): () => Promise<number> {
  let found: Promise<number> | undefined;
  let lookedAt = 0;
  return () => {
    if (!found || performance.now() - lookedAt > PROBE_MS) {
      lookedAt = performance.now();
      found = look();
    }
    return found;
  };
}

const waiting = async (db: OrgDb) => (await db.first(sql<{ count: number }>`select count(*) as count from outbox where published_at is null`))!.count;

async function parked(db: OrgDb): Promise<Record<string, number>> {
  const [count] = await db.all(sql<{ waiting: number; dead: number }>`
    select count(*) filter (where dead_at is null) as waiting, count(*) filter (where dead_at is not null) as dead from parked_event`);
  return { waiting: count!.waiting, dead: count!.dead };
}
