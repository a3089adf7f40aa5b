/** Replay of missed events, from a client's last event id until now. */
import type { Envelope } from "@freehold/contract/events";
import { STREAM, subjectFilter, type EventBus } from "@freehold/kit/events/nats";
import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { Hub } from "./hub.ts";
import { streamedEvent, type StreamedEvent } from "./streamed-event.ts";

const BATCH_SIZE = 500;

export interface Resumption {
  after: number;
  missed: Iterable<StreamedEvent> | AsyncIterable<StreamedEvent>;
}

/** Returns the events after an event id; undefined when the id belongs to another stream or is no longer retained. */
export async function resume(bus: EventBus, hub: Hub, organizationId: string, lastEventId: string): Promise<Resumption | undefined> {
  const [epoch, sequence] = lastEventId.split("-");
  const after = Number(sequence);
  if (epoch !== hub.epoch || !Number.isSafeInteger(after)) return undefined;
  const missed = hub.recall(organizationId, after);
  if (missed) return { after, missed };
  const { state } = await bus.manager.streams.info(STREAM);
  return after + 1 >= state.first_seq && after <= state.last_seq ? { after, missed: missedEvents(bus, hub, organizationId, after) } : undefined;
}

/** Reads the events of one organization after a sequence, oldest first, up to the last one at the time of the call. */
async function* missedEvents(bus: EventBus, hub: Hub, organizationId: string, after: number): AsyncGenerator<StreamedEvent> {
  // The server's pending count is not reliable: it is wrong after the recovery of a killed server.
  const last = (await bus.manager.streams.getMessage(STREAM, { last_by_subj: subjectFilter({ organizationId }) }))?.seq ?? 0;
  if (last <= after) return;
  const { name } = await bus.manager.consumers.add(STREAM, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
    filter_subject: subjectFilter({ organizationId }),
    inactive_threshold: nanos(10_000),
    mem_storage: true,
  });
  try {
    const consumer = await bus.js.consumers.get(STREAM, name);
    for (let reached = after, delivered = 0; reached < last;) {
      const batch = await consumer.fetch({ max_messages: Math.min(BATCH_SIZE, last - reached), expires: 2_000 });
      const before = reached;
      for await (const message of batch) {
        if (message.info.deliverySequence !== ++delivered) throw new Error("the stream skipped a message");
        reached = message.seq;
        yield streamedEvent(hub.epoch, message.seq, message.json<Envelope>());
        if (reached >= last) return;
      }
      if (reached === before) throw new Error("the stream returned fewer messages than it has");
    }
  } finally {
    await bus.manager.consumers.delete(STREAM, name).catch(() => undefined);
  }
}
