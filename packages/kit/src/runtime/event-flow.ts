/** Flow of the events of a service: the response of NATS, and the age of the oldest event that waits for publication. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { sendOnce, sql } from "../db/statement.ts";
import type { Events } from "../events/event-bus.ts";

/** A client of NATS notices only after 15 seconds that a server has hung. Checks do not wait for it. */
const NATS_RESPONSE_MS = 1_000;

/** Returns true when NATS responds within a second. */
export const isNatsResponding = (events: Pick<Events, "isBusUp">, timeoutMs = NATS_RESPONSE_MS): Promise<boolean> =>
  Promise.race([events.isBusUp(), sleep(timeoutMs, false, { ref: false })]);

/** Returns the age of the oldest unpublished event; 0 without one. */
export async function oldestUnpublishedSeconds(pool: pg.Pool): Promise<number> {
  const [oldest] = await sendOnce(
    pool,
    sql<{ seconds: number }>`select greatest(extract(epoch from now() - created_at), 0)::float8 as seconds from unpublished_event order by position limit 1`,
  );
  return oldest?.seconds ?? 0;
}
