/** Health of a service, for the gateway: its database, its connection to NATS, and optionally its integrity check. */
import type pg from "pg";
import type { Events } from "../events/event-bus.ts";
import { countUnpublished } from "../events/outbox-reader.ts";

export interface HealthOptions {
  pool: pg.Pool;
  events: Events;
  schemaVersion: string;
  isDraining: boolean;
  integrityCheck: (() => Promise<string | undefined>) | undefined;
}

/** Returns `down` without the database or when the integrity check fails, and `degraded` without NATS, which only delays events. */
export async function health({ pool, events, schemaVersion, isDraining, integrityCheck }: HealthOptions) {
  const started = performance.now();
  const isDatabaseUp = await pool.query("select 1").then(
    () => true,
    () => false,
  );
  const latencyMs = Math.round((performance.now() - started) * 10) / 10;
  const outboxBacklog = isDatabaseUp ? await countUnpublished(pool).catch(() => -1) : -1;
  const isBusUp = await events.isBusUp();
  const problem = isDatabaseUp && integrityCheck ? await integrityCheck() : undefined;
  return {
    status: !isDatabaseUp || isDraining || problem ? "down" : isBusUp ? "ok" : "degraded",
    postgres: { isUp: isDatabaseUp, latencyMs },
    nats: { isUp: isBusUp },
    outboxBacklog,
    schemaVersion,
    ...(problem && { problem }),
  };
}
