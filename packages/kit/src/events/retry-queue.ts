/**
 * Retry queue of events whose consumption failed. An event is retried after 1 s, 5 s, 30 s, 2 min and 10 min, with later
 * events of its entity queued behind it, and then becomes a dead letter until an operator retries or drops it. While
 * another service is unavailable, the event is retried every 5 s without an end.
 */
import { createHash } from "node:crypto";
import type { Envelope } from "@freehold/contract/events";
import { NO_ORGANIZATION, unscopedDb, type Database } from "../db/org-db.ts";
import { sql } from "../db/statement.ts";
import { ApiError } from "../errors.ts";
import type { Logger } from "../observability/log.ts";
import { uuidFromBytes } from "../uuid.ts";

const BACKOFF_SECONDS = [1, 5, 30, 120, 600];
/** Index of the backoff at which an event waits for an unavailable service. */
const UNAVAILABLE_STEP = 1;
const CONCURRENT_RETRIES = 16;
/** Duration for which a retry excludes other replicas. */
const CLAIM_SECONDS = 60;

/** Type under which an unreadable message is listed among the dead letters. */
const UNREADABLE = "unreadable";
/** Type under which messages that the stream deleted before they were consumed are listed among the dead letters. */
const MISSED = "missed";
const MAX_UNREADABLE_BYTES = 4_096;

interface QueuedEvent {
  position: number;
  attempts: number;
  envelope: Envelope;
}

export interface RetryQueue {
  enqueue(event: Envelope, error: unknown): Promise<void>;
  /** Stores the beginning of an unreadable message of a stream as a dead letter, once. */
  storeUnreadable(message: { subject: string; seq: number; data: Uint8Array }, details: { error: unknown; epoch: string }): Promise<void>;
  /** Stores as a dead letter, once, that the stream has deleted messages of a partition after a sequence before they were consumed. */
  storeMissed(details: { partition: number; epoch: string; afterSequence: number; firstSequence: number }): Promise<void>;
  /** Returns the seconds for which messages have been missed, until an operator drops the last dead letter about them; 0 without one. */
  readMissedSeconds(): Promise<number>;
  /** Tells whether an event of the entity is queued, as far as this replica knows: true until `refreshBlocked` finds none. */
  isBlocked(entityId: string): boolean;
  /** Number of entities that are blocked as far as this replica knows. */
  readonly blockedCount: number;
  /** Reads which entities have queued events: before a partition is read, whose earlier holder may have queued some, and while any are queued. */
  refreshBlocked(): Promise<void>;
  /** Retries the due events, one per entity. Returns true when more may be due. */
  retryDue(apply: (event: Envelope, position: number) => Promise<void>): Promise<boolean>;
}

export function retryQueue(database: Database, consumer: string, log: Logger): RetryQueue {
  const db = unscopedDb(database);
  const claimDue = () =>
    db.all(sql<QueuedEvent>`
    update parked_event set next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS}) where position in (
      select position from parked_event queued where consumer = ${consumer} and dead_at is null and next_attempt_at <= now()
        and not exists (select 1 from parked_event earlier
          where earlier.consumer = queued.consumer and earlier.entity_id = queued.entity_id and earlier.position < queued.position)
      order by position limit ${CONCURRENT_RETRIES} for update skip locked)
    returning position, attempts, envelope`);

  async function reschedule({ position, attempts, envelope }: QueuedEvent, error: unknown): Promise<void> {
    const isUnavailable = error instanceof ApiError && error.code === "service_unavailable";
    const nextAttempts = isUnavailable ? Math.min(attempts + 1, UNAVAILABLE_STEP) : attempts + 1;
    const delaySeconds = BACKOFF_SECONDS[nextAttempts];
    const isDead = delaySeconds === undefined;
    if (isDead) log.error({ err: error, event: envelope.type, eventId: envelope.id, requestId: envelope.requestId }, "an event became a dead letter");
    await db.all(sql`update parked_event set attempts = ${nextAttempts}, error = ${String(error)}, dead_at = ${isDead ? new Date() : null},
      next_attempt_at = now() + make_interval(secs => ${delaySeconds ?? 0}) where position = ${position}`);
  }

  /** Entities with queued events, each with the number of the last refresh that may have missed the latest of them. */
  const blocked = new Map<string, number>();
  let refreshes = 0;

  async function refreshBlocked(): Promise<void> {
    const refresh = ++refreshes;
    const rows = await db.all(sql<{ entityId: string }>`select distinct entity_id from parked_event where consumer = ${consumer}`);
    const queued = new Set(rows.map(({ entityId }) => entityId));
    for (const [entityId, missedBy] of blocked) if (!queued.has(entityId) && missedBy < refresh) blocked.delete(entityId);
    for (const entityId of queued) if (!blocked.has(entityId)) blocked.set(entityId, 0);
  }

  return {
    async enqueue(event, error) {
      blocked.set(event.entityId, Infinity);
      log.warn({ err: error, event: event.type, eventId: event.id, requestId: event.requestId }, "an event was queued for retry");
      await db.all(sql`insert into parked_event (consumer, event_id, organization_id, entity_id, envelope, next_attempt_at, error)
        values (${consumer}, ${event.id}, ${event.organizationId}, ${event.entityId}, ${JSON.stringify(event)},
          now() + make_interval(secs => ${BACKOFF_SECONDS[0]}), ${String(error)})
        on conflict (consumer, event_id) do nothing`);
      blocked.set(event.entityId, refreshes);
    },
    async storeUnreadable({ subject, seq, data }, { error, epoch }) {
      const payload = Buffer.from(data.subarray(0, MAX_UNREADABLE_BYTES)).toString("base64");
      const envelope = JSON.stringify({ type: UNREADABLE, subject, payload });
      const id = uuidFromBytes(createHash("sha256").update(`${epoch} ${seq}`).digest().subarray(0, 16));
      await db.all(sql`insert into parked_event (consumer, event_id, organization_id, entity_id, envelope, next_attempt_at, error, dead_at)
        values (${consumer}, ${id}, ${NO_ORGANIZATION}, ${id}, ${envelope}, now(), ${String(error)}, now()) on conflict (consumer, event_id) do nothing`);
    },
    async storeMissed({ partition, epoch, afterSequence, firstSequence }) {
      const id = uuidFromBytes(createHash("sha256").update(`${epoch} ${partition} missed after ${afterSequence}`).digest().subarray(0, 16));
      const envelope = JSON.stringify({ type: MISSED, partition, afterSequence, firstSequence });
      const error = `Messages between ${afterSequence} and ${firstSequence} were deleted before they were consumed.`;
      await db.all(sql`insert into parked_event (consumer, event_id, organization_id, entity_id, envelope, next_attempt_at, error, dead_at)
        values (${consumer}, ${id}, ${NO_ORGANIZATION}, ${id}, ${envelope}, now(), ${error}, now()) on conflict (consumer, event_id) do nothing`);
    },
    async readMissedSeconds() {
      const row = await db.first(sql<{ seconds: number | null }>`select extract(epoch from clock_timestamp() - min(dead_at))::float8 as seconds
        from parked_event where consumer = ${consumer} and organization_id = ${NO_ORGANIZATION} and envelope ->> 'type' = ${MISSED}`);
      return row?.seconds ?? 0;
    },
    isBlocked: (entityId) => blocked.has(entityId),
    get blockedCount() {
      return blocked.size;
    },
    refreshBlocked,
    async retryDue(apply) {
      const due = await claimDue();
      await Promise.all(due.map((queued) => apply(queued.envelope, queued.position).catch((error: unknown) => reschedule(queued, error))));
      return due.length > 0;
    },
  };
}
