/** Reads one partition of the event stream: entities in parallel, the events of each entity in order. */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Envelope } from "@freehold/contract/events";
import type { Logger } from "../observability/log.ts";
import { eventTypeOf, subjectFilter, type EventBus, type EventStream } from "./nats.ts";
import type { PartitionLease } from "./partition-leases.ts";

const CONCURRENCY = 8;
/** Interval of heartbeats, by which a lost server-side consumer is noticed. */
const HEARTBEAT_MS = 2_000;
const SAVE_MS = 250;

export interface PartitionReader {
  /** Epoch of the stream being read. */
  readonly epoch: string;
  /** False once reading has ended, by `stop` or by an error. */
  readonly isAlive: boolean;
  /**
   * Number of events in progress, plus the events that followed the last event read when NATS delivered it; constant while
   * reading waits for the events in progress. Types without a handler are included unless only one type has a handler: the
   * server then filters by that type.
   */
  readonly lag: number;
  /** Stops reading, waits for the events in progress, and saves the position. */
  stop(): Promise<void>;
}

export interface PartitionReaderOptions {
  bus: EventBus;
  lease: PartitionLease;
  stream: EventStream;
  /** Event types with a handler. */
  types: readonly string[];
  /** Consumes one event and returns true when it needs no more work. */
  consume: (event: Envelope, message: JsMsg) => Promise<boolean>;
  saveProgress: (lease: PartitionLease) => Promise<void>;
  log: Logger;
}

/** Starts reading a partition after the position of its lease, or from the start of the stream when the position belongs to an earlier stream. */
export async function readPartition({ bus, lease, stream, types, consume, saveProgress, log }: PartitionReaderOptions): Promise<PartitionReader> {
  const { partition } = lease;
  const { epoch } = stream;
  const handledTypes = new Set(types);
  /** Last sequence before the first event in progress. Another replica continues after it. */
  let completedSequence = lease.streamEpoch === epoch ? lease.sequence : 0;
  let newestSequence = completedSequence;
  let savedSequence = completedSequence;
  let pending = 0;
  let isAlive = true;
  /** Set by `stop`, and when `consume` abandoned an event because this replica stops. */
  let isStopping = false;
  const inProgress = new Map<number, Promise<boolean>>();
  const lastOfEntity = new Map<string, Promise<boolean>>();

  const consumer = await bus.js.consumers.get(stream.name, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: completedSequence + 1,
    // NATS before 2.10 accepts a single filter subject. With several types, the read loop skips those without a handler.
    filter_subjects: subjectFilter({ partition, type: types.length === 1 ? types[0] : undefined }),
  });
  const messages = await consumer.consume({ max_messages: 4 * CONCURRENCY, idle_heartbeat: HEARTBEAT_MS });

  function startConsuming(message: JsMsg): void {
    const event = message.json<Envelope>();
    const { entityId } = event;
    const work = (lastOfEntity.get(entityId) ?? Promise.resolve(true)).then((isDone) => isDone && consume(event, message));
    lastOfEntity.set(entityId, work);
    inProgress.set(message.seq, work);
    void work.then((isDone) => {
      if (lastOfEntity.get(entityId) === work) lastOfEntity.delete(entityId);
      if (!isDone) {
        isStopping = true;
        return;
      }
      inProgress.delete(message.seq);
      // The keys are in the order of the stream, so all events before the first key are done.
      const [first] = inProgress.keys();
      completedSequence = first === undefined ? newestSequence : first - 1;
    });
  }

  const save = async () => {
    if (savedSequence === completedSequence) return;
    const sequence = completedSequence;
    await saveProgress({ partition, streamEpoch: epoch, sequence }).then(
      () => (savedSequence = sequence),
      (error: unknown) => log.warn({ err: error, partition }, "saving the position of a partition failed"),
    );
  };
  /** Save in progress. A second one at the same time could store an older position last. */
  let saving: Promise<void> | undefined;
  const saveTimer = setInterval(() => {
    saving ??= save().finally(() => (saving = undefined));
  }, SAVE_MS);
  saveTimer.unref();

  const reading = (async () => {
    for await (const message of messages) {
      if (isStopping) break;
      pending = message.info.pending;
      newestSequence = message.seq;
      if (handledTypes.has(eventTypeOf(message.subject))) startConsuming(message);
      else if (inProgress.size === 0) completedSequence = newestSequence;
      while (inProgress.size >= CONCURRENCY && !isStopping) await Promise.race(inProgress.values());
    }
  })()
    .catch((error: unknown) => log.warn({ err: error, partition }, "reading a partition failed"))
    .finally(() => {
      isAlive = false;
    });

  return {
    epoch,
    get isAlive() {
      return isAlive;
    },
    get lag() {
      return pending + inProgress.size;
    },
    stop: async () => {
      isStopping = true;
      messages.stop();
      await reading;
      await Promise.allSettled(inProgress.values());
      clearInterval(saveTimer);
      await saving;
      await save();
    },
  };
}
