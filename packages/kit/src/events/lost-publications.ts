/** Recovery of the relay's progress when the stream has lost the last messages of its publisher. */
import type { StoredMsg } from "@nats-io/jetstream";
import type pg from "pg";
import { sendOnce, sql } from "../db/statement.ts";
import { firstSequenceAfter } from "./lost-messages.ts";
import { ensureStream, readSubject, type EventBus, type EventStream } from "./nats.ts";
import type { Progress } from "./outbox-reader.ts";

/** Maximum number of messages that are read to find the last one that was published before the loss. */
const MAX_READS = 10_000;
/** Longer than a transaction and than the difference of two clocks: events that begin this much earlier have been published before. */
const MARGIN_MS = 3_600_000;

/** Returns true if the message of the stored sequence is lost, also when another message has its sequence. */
export async function hasLostPublications(bus: EventBus, stream: EventStream, publisher: string, sequence: number): Promise<boolean> {
  if (sequence === 0 || sequence < stream.state.first_seq) return false;
  if (sequence > stream.state.last_seq) {
    // The holder before may have published since the state was read.
    const { epoch, state } = await ensureStream(bus);
    return epoch === stream.epoch && sequence > state.last_seq;
  }
  const message = await bus.manager.streams.getMessage(stream.name, { seq: sequence });
  return message !== null && readSubject(message.subject).publisher !== publisher;
}

export interface Recovery {
  pool: pg.Pool;
  bus: EventBus;
  stream: EventStream;
  /** Progress before the loss. */
  stored: Progress;
  /** Returns the ids of the events of a message; none of one of another publisher. */
  idsOf: (message: StoredMsg) => string[];
  /** Throws when another replica has taken over. */
  renew: () => Promise<void>;
}

/**
 * Returns a progress before the loss: every event up to its position is on the stream, and those after it that are on the stream
 * are there after its sequence.
 */
export async function progressBeforeLoss(recovery: Recovery): Promise<Progress> {
  const { pool, bus, stream, stored } = recovery;
  const last = await findLastPublished(recovery);
  // Without any message left, everything that is retained may be lost.
  if (!last) return { ...stored, publishedPosition: 0, streamSequence: 0 };
  const since = new Date(Date.parse(last.createdAt) - MARGIN_MS);
  const [before] = await sendOnce(
    pool,
    sql<{ position: number }>`select position from outbox where position < ${last.position} and created_at < ${since} order by position desc limit 1`,
  );
  const firstSequence = await firstSequenceAfter(bus, stream, new Date(since.getTime() - MARGIN_MS));
  return { ...stored, publishedPosition: before?.position ?? 0, streamSequence: firstSequence - 1 };
}

interface PublishedEvent {
  position: number;
  createdAt: string;
}

/** Returns the last event that is still on the stream of those that the stored progress covers: later ones were published after the loss. */
async function findLastPublished({ pool, bus, stream, stored, idsOf, renew }: Recovery): Promise<PublishedEvent | undefined> {
  const { first_seq: first, last_seq: last } = stream.state;
  for (let sequence = last; sequence >= first && sequence > last - MAX_READS; sequence--) {
    await renew();
    const message = await bus.manager.streams.getMessage(stream.name, { seq: sequence });
    const ids = message ? idsOf(message) : [];
    if (ids.length === 0) continue;
    const [event] = await sendOnce(
      pool,
      sql<PublishedEvent>`select position, created_at from outbox where event_id = any(${ids}::uuid[]) order by position desc limit 1`,
    );
    if (event && event.position <= stored.publishedPosition) return event;
  }
  return undefined;
}
