/** How a service is, as the gateway asks it: its database, its bus, and what its books say when somebody looks deeper. */
import type pg from "pg";
import type { Events } from "./events.ts";

export interface HealthOf {
  pool: pg.Pool;
  events: Events;
  schemaVersion: string;
  isRetiring: boolean;
  probe: (() => Promise<string | undefined>) | undefined;
}

/** `down` without its database; `degraded` without NATS, when nothing but the speed of events suffers. */
export async function health({ pool, events, schemaVersion, isRetiring, probe }: HealthOf) {
  const started = performance.now();
  const isDatabaseUp = await pool.query("select 1").then(
    () => true,
    () => false,
  );
  const latencyMs = Math.round((performance.now() - started) * 10) / 10;
  const outboxBacklog = isDatabaseUp ? await events.backlog().catch(() => -1) : -1;
  const isBusUp = await events.isBusUp();
  const problem = isDatabaseUp && probe ? await probe() : undefined;
  return {
    status: !isDatabaseUp || isRetiring || problem ? "down" : isBusUp ? "ok" : "degraded",
    postgres: { isUp: isDatabaseUp, latencyMs },
    nats: { isUp: isBusUp },
    outboxBacklog,
    schemaVersion,
    ...(problem && { problem }),
  };
}
