/** Health of a service, for the gateway: its database, its connection to NATS, and optionally its integrity check. */
import type pg from "pg";
import type { Events } from "../events/event-bus.ts";
import { countUnpublished } from "../events/outbox-reader.ts";
import { elapsedMs } from "../observability/log.ts";
import { isNatsResponding, oldestUnpublishedSeconds } from "./event-flow.ts";

export interface HealthOptions {
  pool: pg.Pool;
  events: Events;
  schemaVersion: string;
  isDraining: boolean;
  integrityCheck: (() => Promise<string | undefined>) | undefined;
}

/**
 * Time without progress after which a partition of the event stream, or the publication of events, is reported. The slowest effects take
 * a few seconds.
 */
const STALLED_AFTER_SECONDS = 60;

/**
 * Returns `down` without the database or when the integrity check fails, and `degraded` without NATS, while events are not
 * published although NATS responds, or while a partition of the event stream does not advance, which only delay events.
 */
export async function health({ pool, events, schemaVersion, isDraining, integrityCheck }: HealthOptions) {
  const started = performance.now();
  const isDatabaseUp = await pool.query("select 1").then(
    () => true,
    () => false,
  );
  const latencyMs = elapsedMs(started);
  const outboxBacklog = isDatabaseUp ? await countUnpublished(pool).catch(() => -1) : -1;
  const oldestSeconds = isDatabaseUp ? await oldestUnpublishedSeconds(pool).catch(() => 0) : 0;
  const isBusUp = await isNatsResponding(events);
  const { lag, stalledSeconds } = events;
  const isStalled = stalledSeconds >= STALLED_AFTER_SECONDS;
  const isLate = oldestSeconds >= STALLED_AFTER_SECONDS;
  const checkedAt = performance.now();
  const failure = isDatabaseUp && integrityCheck ? await integrityCheck() : undefined;
  const integrity = integrityCheck && { isOk: isDatabaseUp && !failure, latencyMs: elapsedMs(checkedAt) };
  const problem = failure ?? (isLate ? `events have waited for publication for ${Math.round(oldestSeconds)} s` : undefined);
  return {
    status: !isDatabaseUp || isDraining || failure ? "down" : isBusUp && !isStalled && !isLate ? "ok" : "degraded",
    postgres: { isUp: isDatabaseUp, latencyMs },
    nats: { isUp: isBusUp },
    outboxBacklog,
    consumer: { isStalled, lag, stalledSeconds: Math.round(stalledSeconds) },
    schemaVersion,
    ...(integrity && { integrity }),
    ...(problem && { problem }),
  };
}
