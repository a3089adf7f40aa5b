/** Reads the unpublished events of the outbox and forms the messages in which they are published. */
import { currentEventType } from "@freehold/contract/events";
import type pg from "pg";
import { sendOnce, sql } from "../db/statement.ts";
import { MAX_MESSAGE_EVENTS } from "./message.ts";
import { subjectOf, subscribersOf } from "./nats.ts";

/** Snapshot that sees no transaction. */
export const EMPTY_SNAPSHOT = "1:1:";
const BATCH_SIZE = 512;
/** Maximum size of a message in characters, well below the 1 MB that NATS accepts; a larger single event is a message of its own. */
const MAX_PAYLOAD_LENGTH = 131_072;

export interface Progress {
  /** Epoch of the stream that the progress belongs to. */
  streamEpoch: string | null;
  /** Sequence of the last message published on the stream. */
  streamSequence: number;
  /** Every event up to this position that the snapshot sees is published. */
  publishedPosition: number;
  /** Snapshot in which the events up to the position were read, as text: `xmin:xmax:running,running`. */
  snapshot: string;
  /** Position of the last event with a transaction id of an earlier database cluster, from which a dump was restored; 0 without one. */
  eraPosition: number;
}

export interface OutboxEvent {
  position: number;
  transactionId: string;
  eventId: string;
  organizationId: string;
  type: string;
  envelope: string;
  traceParent: string | null;
}

export interface OutgoingMessage {
  /** Id of its first event, by which NATS drops a message that is published twice. */
  id: string;
  organizationId: string;
  subject: string;
  payload: string;
  traceParent: string | null;
}

interface UnpublishedEvents {
  /** In ascending order of position. */
  events: OutboxEvent[];
  /** Snapshot in which the events were read. */
  snapshot: string;
  /** False if the batch is full, so that more events may wait. */
  isComplete: boolean;
}

const columns = sql`position, transaction_id::text, event_id, organization_id, envelope ->> 'type' as type, envelope::text as envelope, trace_parent`;

/**
 * Returns the next events to publish, at most 512 with new positions, and the snapshot in which they were read.
 *
 * Every event that the read sees has a transaction id below the end of its snapshot. The condition says so nevertheless, because a range
 * with both ends makes the planner read the late events by their transaction ids, not the whole outbox by position.
 */
export async function selectUnpublished(pool: pg.Pool, progress: Progress): Promise<UnpublishedEvents> {
  const { publishedPosition, snapshot: earlier, eraPosition } = progress;
  const late = sql`select ${columns} from outbox where position > ${eraPosition} and position <= ${publishedPosition} and transaction_id`;
  const rows = await sendOnce(
    pool,
    sql<
      { snapshot: string } & OutboxEvent
    >`select snapshot.value::text as snapshot, event.* from (select pg_current_snapshot() as value) snapshot left join lateral (
      (${late} >= pg_snapshot_xmax(${earlier}::pg_snapshot) and transaction_id < pg_snapshot_xmax(pg_current_snapshot())) union all
      (${late} = any(array(select pg_snapshot_xip(${earlier}::pg_snapshot)))) union all
      (select ${columns} from outbox where position > ${publishedPosition} order by position limit ${BATCH_SIZE})) event on true order by position`,
  );
  const { snapshot } = rows[0]!;
  const events = rows.flatMap((row) => (row.position === null ? [] : [{ ...row, type: currentEventType(row.type) }]));
  const isComplete = events.filter(({ position }) => position > publishedPosition).length < BATCH_SIZE;
  // Every relay must form the same messages, so a full batch omits its last block of positions, which may be incomplete.
  const lastBlock = isComplete ? undefined : blockOf(events.at(-1)!);
  return { events: events.filter((event) => blockOf(event) !== lastBlock), snapshot, isComplete };
}

const MAX_COUNT = 100_000;

/** Returns the number of unpublished events, at most 100 000. */
export async function countUnpublished(pool: pg.Pool): Promise<number> {
  const [row] = await sendOnce(pool, sql<{ count: number }>`select count(*) as count from (select from unpublished_event limit ${MAX_COUNT}) event`);
  return row!.count;
}

/** Returns the progress after the publication of events that were read in a snapshot. `streamSequence` is unchanged. */
export const nextProgress = (before: Progress, events: readonly OutboxEvent[], snapshot: string): Progress => ({
  ...before,
  publishedPosition: Math.max(before.publishedPosition, events.at(-1)?.position ?? 0),
  snapshot,
});

const blockOf = ({ position }: OutboxEvent): number => Math.floor(position / MAX_MESSAGE_EVENTS);

/**
 * Forms the messages of events, in the order of their first events: consecutive events of one transaction and organization with the
 * same subscribers. Every relay forms the same messages of the same events.
 */
export function toMessages(publisher: string, events: readonly OutboxEvent[]): OutgoingMessage[] {
  const groups: OutboxEvent[][] = [];
  const lastOf = new Map<string, { group: OutboxEvent[]; key: string; length: number }>();
  for (const event of events) {
    const transaction = `${event.transactionId} ${event.organizationId}`;
    const key = `${blockOf(event)} ${subscribersOf(event.type)}`;
    const last = lastOf.get(transaction);
    if (last?.key === key && last.length + event.envelope.length <= MAX_PAYLOAD_LENGTH) {
      last.group.push(event);
      last.length += event.envelope.length;
    } else {
      const group = [event];
      groups.push(group);
      lastOf.set(transaction, { group, key, length: event.envelope.length });
    }
  }
  return groups.map((group) => {
    const { eventId, organizationId, type, traceParent } = group[0]!;
    const payload = `[${group.map(({ envelope }) => envelope).join(",")}]`;
    return { id: eventId, organizationId, subject: subjectOf({ publisher, organizationId, type }), payload, traceParent };
  });
}
