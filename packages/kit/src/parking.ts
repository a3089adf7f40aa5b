/**
 * Events that could not be consumed wait here: tried again after 1 s, 5 s, 30 s, 2 min and 10 min, with later events of
 * the same entity behind them. What still fails stays as a dead letter until somebody retries or drops it. While a
 * neighbour is away nothing is wrong with the event: it is tried every 5 s until that one is back.
 */
import type { Envelope } from "@freehold/contract/events";
import { everywhere, type Database } from "./db.ts";
import { ApiError } from "./errors.ts";
import type { Logger } from "./log.ts";
import { sql } from "./statement.ts";

const BACKOFF_SECONDS = [1, 5, 30, 120, 600];
/** The step of the backoff at which an event waits for a neighbour. */
const AWAY = 1;
/** How many are tried side by side. */
const AT_ONCE = 16;
/** How long a replica that tries again keeps others from doing so. */
const CLAIM_SECONDS = 60;

interface Parked {
  position: number;
  attempts: number;
  envelope: Envelope;
}

export interface Parking {
  park(event: Envelope, error: unknown): Promise<void>;
  /** Whether the event has had its effect (a stream that is filled again brings all of them), and whether an earlier one of its entity waits. */
  stateOf(event: Envelope): Promise<{ isDone: boolean; isBlocked: boolean }>;
  /** Tries what is due once more, one event an entity; answers whether more may be due. */
  retry(apply: (event: Envelope, position: number) => Promise<void>): Promise<boolean>;
}

export function parking(database: Database, consumer: string, log: Logger): Parking {
  const db = everywhere(database);
  const claimDue = () =>
    db.all(sql<Parked>`
    update parked_event set next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS}) where position in (
      select position from parked_event waiting where consumer = ${consumer} and dead_at is null and next_attempt_at <= now()
        and not exists (select 1 from parked_event earlier
          where earlier.consumer = waiting.consumer and earlier.entity_id = waiting.entity_id and earlier.position < waiting.position)
      order by position limit ${AT_ONCE} for update skip locked)
    returning position, attempts, envelope`);

  async function putOff({ position, attempts, envelope }: Parked, error: unknown): Promise<void> {
    const isAway = error instanceof ApiError && error.code === "service_unavailable";
    const tried = isAway ? Math.min(attempts + 1, AWAY) : attempts + 1;
    const wait = BACKOFF_SECONDS[tried];
    if (wait === undefined) log.error({ err: error, event: envelope.type, eventId: envelope.id, requestId: envelope.requestId }, "an event is a dead letter");
    await db.all(sql`update parked_event set attempts = ${tried}, error = ${String(error)}, dead_at = ${wait === undefined ? new Date() : null},
      next_attempt_at = now() + make_interval(secs => ${wait ?? 0}) where position = ${position}`);
  }

  return {
    async park(event, error) {
      log.warn({ err: error, event: event.type, eventId: event.id, requestId: event.requestId }, "an event is parked");
      await db.all(sql`insert into parked_event (consumer, event_id, organization_id, entity_id, envelope, next_attempt_at, error)
        values (${consumer}, ${event.id}, ${event.organizationId}, ${event.entityId}, ${JSON.stringify(event)},
          now() + make_interval(secs => ${BACKOFF_SECONDS[0]}), ${String(error)})
        on conflict (consumer, event_id) do nothing`);
    },
    stateOf: async ({ id, entityId }) =>
      (await db.first(sql<{ isDone: boolean; isBlocked: boolean }>`select
        exists (select from inbox where consumer = ${consumer} and event_id = ${id}) as is_done,
        exists (select from parked_event where consumer = ${consumer} and entity_id = ${entityId}) as is_blocked`))!,
    async retry(apply) {
      const due = await claimDue();
      await Promise.all(due.map((one) => apply(one.envelope, one.position).catch((error: unknown) => putOff(one, error))));
      return due.length > 0;
    },
  };
}
