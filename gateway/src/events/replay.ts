/** Replay of the events that a client missed after its last event id. */
import type { ProcessKeys } from "@freehold/kit/auth/keys";
import { ensureStream, subjectFilter, type EventBus, type EventStream } from "@freehold/kit/events/nats";
import type { Hub } from "./hub.ts";
import { storedMessages } from "./stored-messages.ts";
import { lastSequenceOf, messageSequenceOf, streamedEvents, type StreamedEvent } from "./streamed-event.ts";

export interface Resumption {
  /** Sequence of the client's last event. */
  afterSequence: number;
  missed: Iterable<StreamedEvent> | AsyncIterable<StreamedEvent>;
}

export interface StreamSource {
  bus: EventBus;
  hub: Hub;
  keys: Pick<ProcessKeys, "isSignedBy">;
}

/** Reason why a stream cannot resume: the id is of no stream or of one that was replaced, or later events are no longer retained. */
export type ResetReason = "unknown_id" | "stream_replaced" | "too_old";

const EVENT_ID = /^([\da-z]+)-(\d+)$/;

/** Returns the events after an event id, or the reason why they cannot be read. */
export async function resume({ bus, hub, keys }: StreamSource, organizationId: string, lastEventId: string): Promise<Resumption | ResetReason> {
  const [, epoch, sequence] = EVENT_ID.exec(lastEventId) ?? [];
  const afterSequence = Number(sequence);
  if (!Number.isSafeInteger(afterSequence)) return "unknown_id";
  if (epoch !== hub.epoch) return "stream_replaced";
  const missed = hub.bufferedEventsAfter(organizationId, afterSequence);
  if (missed) return { afterSequence, missed };
  const stream = await ensureStream(bus);
  const { first_seq: first, last_seq: last } = stream.state;
  if (stream.epoch !== epoch) return "stream_replaced";
  if (messageSequenceOf(afterSequence + 1) < first) return "too_old";
  if (afterSequence > lastSequenceOf(last)) return "unknown_id";
  return { afterSequence, missed: missedEvents({ bus, keys }, stream, organizationId, afterSequence) };
}

/** Reads the events of one organization after a sequence, oldest first, up to the last one when the iteration starts. */
async function* missedEvents(
  { bus, keys }: Omit<StreamSource, "hub">,
  stream: EventStream,
  organizationId: string,
  afterSequence: number,
): AsyncGenerator<StreamedEvent> {
  const start = { sequence: messageSequenceOf(afterSequence + 1) };
  for await (const message of storedMessages(bus, stream, subjectFilter({ organizationId }), start))
    for (const streamed of streamedEvents(stream.epoch, keys, message)) if (streamed.sequence > afterSequence) yield streamed;
}
