/** Buffer of the newest events, by which reconnecting clients resume without a read from NATS. */
import type { StreamedEvent } from "./streamed-event.ts";

const MIN_SIZE = 5_000;

export interface RecentEvents {
  /** Returns true if the buffer contains an event of this id. */
  has(eventId: string): boolean;
  add(event: StreamedEvent): void;
  /** Returns an organization's events after a sequence, oldest first; undefined when the buffer does not reach back that far. */
  after(organizationId: string, sequence: number): StreamedEvent[] | undefined;
  /** Empties the buffer, which then starts after the given sequence. */
  reset(sequence: number): void;
}

/** Creates a buffer of at least the 5,000 newest events. */
export function recentEvents(): RecentEvents {
  let buffer: StreamedEvent[] = [];
  let ids = new Set<string>();
  /** The buffer holds every event after this sequence. */
  let completeAfter = 0;

  /** Returns the index of the first event after a sequence. */
  function indexAfter(sequence: number): number {
    let [low, high] = [0, buffer.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (buffer[middle]!.sequence > sequence) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    has: (eventId) => ids.has(eventId),
    add(event) {
      buffer.push(event);
      ids.add(event.event.id);
      if (buffer.length < 2 * MIN_SIZE) return;
      completeAfter = buffer[MIN_SIZE - 1]!.sequence;
      buffer = buffer.slice(MIN_SIZE);
      ids = new Set(buffer.map(({ event: { id } }) => id));
    },
    after(organizationId, sequence) {
      if (sequence < completeAfter) return undefined;
      return buffer.slice(indexAfter(sequence)).filter(({ event }) => event.organizationId === organizationId);
    },
    reset(sequence) {
      buffer = [];
      ids = new Set();
      completeAfter = sequence;
    },
  };
}
