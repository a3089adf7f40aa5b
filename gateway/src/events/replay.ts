/** Replay of the events that a client missed after its last event id. */
import type { ProcessKeys } from "@freehold/kit/auth/keys";
import { ensureStream, subjectFilter, type EventBus, type EventStream } from "@freehold/kit/events/nats";
import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { Hub } from "./hub.ts";
import { lastSequenceOf, messageSequenceOf, streamedEvents, type StreamedEvent } from "./streamed-event.ts";

const BATCH_SIZE = 500;

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

/** Returns the events after an event id; undefined when the id is invalid or of another stream, or when later events are no longer retained. */
export async function resume({ bus, hub, keys }: StreamSource, organizationId: string, lastEventId: string): Promise<Resumption | undefined> {
  const [epoch, sequence] = lastEventId.split("-");
  const afterSequence = Number(sequence);
  if (epoch !== hub.epoch || !Number.isSafeInteger(afterSequence)) return undefined;
  const missed = hub.bufferedEventsAfter(organizationId, afterSequence);
  if (missed) return { afterSequence, missed };
  const stream = await ensureStream(bus);
  const { first_seq: first, last_seq: last } = stream.state;
  return stream.epoch === epoch && messageSequenceOf(afterSequence + 1) >= first && afterSequence <= lastSequenceOf(last)
    ? { afterSequence, missed: missedEvents({ bus, keys }, stream, organizationId, afterSequence) }
    : undefined;
}

/** Reads the events of one organization after a sequence, oldest first, up to the last one when the iteration starts. */
async function* missedEvents(
  { bus, keys }: Omit<StreamSource, "hub">,
  { name: stream, epoch }: EventStream,
  organizationId: string,
  afterSequence: number,
): AsyncGenerator<StreamedEvent> {
  // The server's pending count is not reliable: it is wrong after the recovery of a killed server.
  const endSequence = (await bus.manager.streams.getMessage(stream, { last_by_subj: subjectFilter({ organizationId }) }))?.seq ?? 0;
  const startSequence = messageSequenceOf(afterSequence + 1);
  if (endSequence < startSequence) return;
  const { name } = await bus.manager.consumers.add(stream, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: startSequence,
    filter_subject: subjectFilter({ organizationId }),
    inactive_threshold: nanos(10_000),
    mem_storage: true,
  });
  try {
    const consumer = await bus.js.consumers.get(stream, name);
    for (let lastRead = startSequence - 1, delivered = 0; lastRead < endSequence;) {
      const batch = await consumer.fetch({ max_messages: Math.min(BATCH_SIZE, endSequence - lastRead), expires: 2_000 });
      const previousRead = lastRead;
      for await (const message of batch) {
        if (message.info.deliverySequence !== ++delivered) throw new Error("the stream skipped a message");
        lastRead = message.seq;
        for (const streamed of streamedEvents(epoch, keys, message)) if (streamed.sequence > afterSequence) yield streamed;
        if (lastRead >= endSequence) return;
      }
      if (lastRead === previousRead) throw new Error("the stream returned fewer messages than it has");
    }
  } finally {
    await bus.manager.consumers.delete(stream, name).catch(() => undefined);
  }
}
