/** Replay of the events that a client missed after its last event id. */
import type { ProcessKeys } from "@freehold/kit/auth/keys";
import type { Principal } from "@freehold/kit/auth/principal";
import { fairTurns, type FairTurns } from "@freehold/kit/fair-turns";
import { transferHolderOf } from "@freehold/kit/http/transfers";
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
  /** Turns of the replays at reading stored events. */
  replayTurns: FairTurns;
}

/**
 * Creates the turns of replays. A turn is one batch of messages, whose signatures are verified in the thread that delivers new events: however
 * many clients resume at once, new events of all organizations wait for two batches at most.
 */
export const replayTurns = (): FairTurns => fairTurns({ total: 2, perGroup: 1, perMember: 1, waiting: 10_000, waitMs: 60_000 });

/** Reason why a stream cannot resume: the id is of no stream or of one that was replaced, or later events are no longer retained. */
export type ResetReason = "unknown_id" | "stream_replaced" | "too_old";

const EVENT_ID = /^([\da-z]+)-(\d+)$/;

/** Returns the events after an event id, or the reason why they cannot be read. */
export async function resume({ bus, hub, ...source }: StreamSource, principal: Principal, lastEventId: string): Promise<Resumption | ResetReason> {
  const [, epoch, sequence] = EVENT_ID.exec(lastEventId) ?? [];
  const afterSequence = Number(sequence);
  if (!Number.isSafeInteger(afterSequence)) return "unknown_id";
  if (epoch !== hub.epoch || hub.isReused(afterSequence)) return "stream_replaced";
  const missed = hub.bufferedEventsAfter(principal.organizationId, afterSequence);
  if (missed) return { afterSequence, missed };
  const stream = await ensureStream(bus);
  const { first_seq: first, last_seq: last } = stream.state;
  if (stream.epoch !== epoch) return "stream_replaced";
  if (messageSequenceOf(afterSequence + 1) < first) return "too_old";
  if (afterSequence > lastSequenceOf(last)) return "unknown_id";
  return { afterSequence, missed: missedEvents({ bus, ...source }, stream, principal, afterSequence) };
}

/** Reads the events of one organization after a sequence, oldest first, up to the last one when the iteration starts. */
async function* missedEvents(
  { bus, keys, replayTurns }: Omit<StreamSource, "hub">,
  stream: EventStream,
  principal: Principal,
  afterSequence: number,
): AsyncGenerator<StreamedEvent> {
  const start = { sequence: messageSequenceOf(afterSequence + 1) };
  const subject = subjectFilter({ organizationId: principal.organizationId });
  const holder = transferHolderOf(principal);
  for await (const message of storedMessages(bus, stream, subject, start, (read) => replayTurns.run(holder, read)))
    for (const streamed of streamedEvents(stream.epoch, keys, message)) if (streamed.sequence > afterSequence) yield streamed;
}
