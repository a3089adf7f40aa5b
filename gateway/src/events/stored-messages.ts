import type { EventBus, EventStream } from "@freehold/kit/events/nats";
import { AckPolicy, DeliverPolicy, type Consumer, type JsMsg } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";

const BATCH_SIZE = 100;
/** Idle time after which the server forgets the position of a reader: longer than a batch waits for its turn. */
const INACTIVE_MS = 90_000;

/** Runs the reading of one batch. */
type InTurn = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * Reads the stored messages of a subject from a sequence or a time on, oldest first, up to the last one when the iteration starts. Each batch
 * is read by `inTurn`, at once by default.
 */
export async function* storedMessages(
  bus: EventBus,
  { name: stream }: EventStream,
  subject: string,
  start: { sequence: number } | { time: Date },
  inTurn: InTurn = (read) => read(),
): AsyncGenerator<JsMsg> {
  // The server's pending count is not reliable: it is wrong after the recovery of a killed server.
  const last = await bus.manager.streams.getMessage(stream, { last_by_subj: subject });
  if (!last || ("sequence" in start ? last.seq < start.sequence : last.time < start.time)) return;
  const { name } = await bus.manager.consumers.add(stream, {
    ack_policy: AckPolicy.None,
    ...("sequence" in start
      ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start.sequence }
      : { deliver_policy: DeliverPolicy.StartTime, opt_start_time: start.time.toISOString() }),
    filter_subject: subject,
    inactive_threshold: nanos(INACTIVE_MS),
    mem_storage: true,
  });
  try {
    const consumer = await bus.js.consumers.get(stream, name);
    for (let lastRead = 0, delivered = 0; lastRead < last.seq;) {
      const batch = await inTurn(() => readBatch(consumer, last.seq));
      if (batch.length === 0) throw new Error("the stream returned fewer messages than it has");
      for (const message of batch) {
        if (message.info.deliverySequence !== ++delivered) throw new Error("the stream skipped a message");
        lastRead = message.seq;
        yield message;
      }
    }
  } finally {
    await bus.manager.consumers.delete(stream, name).catch(() => undefined);
  }
}

async function readBatch(consumer: Consumer, lastSequence: number): Promise<JsMsg[]> {
  const batch: JsMsg[] = [];
  for await (const message of await consumer.fetch({ max_messages: BATCH_SIZE, expires: 2_000 })) {
    batch.push(message);
    if (message.seq >= lastSequence) break;
  }
  return batch;
}
