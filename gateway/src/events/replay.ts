/** Replay of the events that a client missed after its last event id. */
import type { Envelope } from "@freehold/contract/events";
import { ensureStream, subjectFilter, type EventBus, type EventStream } from "@freehold/kit/events/nats";
import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { Hub } from "./hub.ts";
import { streamedEvent, type StreamedEvent } from "./streamed-event.ts";

const BATCH_SIZE = 500;

export interface Resumption {
  /** Sequence of the client's last event. */
  afterSequence: number;
  missed: Iterable<StreamedEvent> | AsyncIterable<StreamedEvent>;
}

/** Returns the events after an event id; undefined when the id is invalid or of another stream, or when later events are no longer retained. */
export async function resume(bus: EventBus, hub: Hub, organizationId: string, lastEventId: string): Promise<Resumption | undefined> {
  const [epoch, sequence] = lastEventId.split("-");
  const afterSequence = Number(sequence);
  if (epoch !== hub.epoch || !Number.isSafeInteger(afterSequence)) return undefined;
  const missed = hub.bufferedEventsAfter(organizationId, afterSequence);
  if (missed) return { afterSequence, missed };
  const stream = await ensureStream(bus);
  return stream.epoch === epoch && afterSequence + 1 >= stream.state.first_seq && afterSequence <= stream.state.last_seq
    ? { afterSequence, missed: missedEvents(bus, stream, organizationId, afterSequence) }
    : undefined;
}

/** Reads the events of one organization after a sequence, oldest first, up to the last one when the iteration starts. */
async function* missedEvents(
  bus: EventBus,
  { name: stream, epoch }: EventStream,
  organizationId: string,
  afterSequence: number,
): AsyncGenerator<StreamedEvent> {
  // The server's pending count is not reliable: it is wrong after the recovery of a killed server.
  const endSequence = (await bus.manager.streams.getMessage(stream, { last_by_subj: subjectFilter({ organizationId }) }))?.seq ?? 0;
  if (endSequence <= afterSequence) return;
  const { name } = await bus.manager.consumers.add(stream, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: afterSequence + 1,
    filter_subject: subjectFilter({ organizationId }),
    inactive_threshold: nanos(10_000),
    mem_storage: true,
  });
  try {
    const consumer = await bus.js.consumers.get(stream, name);
    for (let lastRead = afterSequence, delivered = 0; lastRead < endSequence;) {
      const batch = await consumer.fetch({ max_messages: Math.min(BATCH_SIZE, endSequence - lastRead), expires: 2_000 });
      const previousRead = lastRead;
      for await (const message of batch) {
        if (message.info.deliverySequence !== ++delivered) throw new Error("the stream skipped a message");
        lastRead = message.seq;
        yield streamedEvent(epoch, message.seq, message.json<Envelope>());
        if (lastRead >= endSequence) return;
      }
      if (lastRead === previousRead) throw new Error("the stream returned fewer messages than it has");
    }
  } finally {
    await bus.manager.consumers.delete(stream, name).catch(() => undefined);
  }
}
