/**
 * Detection of messages that a stream has lost, or deleted before they were read. NATS does not write each message to the disk at once,
 * so a stream may return from a power cut without the newest ones, and gives their sequences to later messages.
 */
import type { JsMsg, StoredMsg } from "@nats-io/jetstream";
import type { EventBus, EventStream } from "./nats.ts";

/** Position of a reader in a stream. */
export interface ReadPosition {
  sequence: number;
  /** Time up to which the messages that the stream stored were read; null if unknown. */
  readUntil: string | null;
}

/** Returns the next full millisecond after the time at which the stream stored a message. */
export const storedAt = ({ info }: JsMsg): string => new Date(Math.floor(info.timestampNanos / 1_000_000) + 1).toISOString();

const readMessageAt = ({ manager }: EventBus, { name }: EventStream, sequence: number): Promise<StoredMsg | null> =>
  manager.streams.getMessage(name, { seq: sequence });

/** Returns the sequence of the first message that the stream stored after a time, or the next free one. */
export async function firstSequenceAfter(bus: EventBus, stream: EventStream, time: Date): Promise<number> {
  let [low, high] = [stream.state.first_seq, stream.state.last_seq + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const message = await readMessageAt(bus, stream, middle);
    if (message && message.time > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the sequence after which a reader continues: its own, or a lower one if the stream has lost messages that it had read. */
export async function sequenceToContinue(bus: EventBus, stream: EventStream, { sequence, readUntil }: ReadPosition): Promise<number> {
  const { first_seq: first, last_seq: last } = stream.state;
  if (sequence === 0 || sequence < first) return sequence;
  if (readUntil === null) return Math.min(sequence, last);
  // Times of messages have nanoseconds, which a date cuts off.
  const time = new Date(readUntil);
  const message = sequence <= last ? await readMessageAt(bus, stream, sequence) : undefined;
  // A message that has expired meanwhile is null.
  if (message === null || (message && message.time <= time)) return sequence;
  return Math.min(sequence, (await firstSequenceAfter(bus, stream, time)) - 1);
}

/**
 * Returns true if the stream has deleted messages, because of their age, that it had stored after the newest message read. They may have
 * been of other partitions.
 */
export function hasMissedMessages({ state }: EventStream, { sequence, streamSequence, readUntil }: ReadPosition & { streamSequence: number | null }): boolean {
  if (readUntil === null || Math.max(sequence, streamSequence ?? 0) + 1 >= state.first_seq) return false;
  const deletedUntil = state.messages === 0 ? state.last_ts : state.first_ts;
  // The stored time is rounded to milliseconds.
  return Date.parse(deletedUntil) > Date.parse(readUntil) + 1;
}

/** Calls back whenever the connection is established again, before messages arrive on it. */
export async function onReconnect({ connection }: EventBus, callback: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === "reconnect") callback();
}
