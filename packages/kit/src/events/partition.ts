/** Reads one partition of the event stream: entities concurrently, the events of each entity in order. */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Envelope } from "@freehold/contract/events";
import type { Logger } from "../observability/log.ts";
import { sequenceToContinue, storedAt } from "./lost-messages.ts";
import { subjectFilter, type EventBus, type EventStream } from "./nats.ts";
import type { PartitionLease } from "./partition-leases.ts";

/** Maximum number of messages whose events are in progress. */
const CONCURRENCY = 16;
/** Interval of heartbeats, by which a lost server-side consumer is noticed. */
const HEARTBEAT_MS = 2_000;
const SAVE_MS = 250;
/** Interval at which a partition without messages saves up to which time it has been read. */
const IDLE_SAVE_MS = 60_000;

export interface PartitionReader {
  /** Epoch of the stream being read. */
  readonly epoch: string;
  /** False once reading has ended, by `stop` or by an error. */
  readonly isAlive: boolean;
  /** Number of messages in progress, plus those that were pending in NATS when it delivered the last message read. */
  readonly lag: number;
  /** Sequence up to which all messages are consumed. */
  readonly sequence: number;
  /** Sets the last message of the stream, of whichever partition. */
  setNewest(newest: { last_seq: number; last_ts: string }): void;
  /** Stops reading, waits for the events in progress, and saves the position. */
  stop(): Promise<void>;
}

export interface PartitionReaderOptions {
  bus: EventBus;
  lease: PartitionLease;
  stream: EventStream;
  /** Name of the consumer. A service receives only the messages that it subscribes to. */
  consumer: string;
  /** Returns the events of a message that are to be consumed, in order. */
  read: (message: JsMsg) => Promise<readonly Envelope[]>;
  /** Consumes one event and returns true when it needs no more work. */
  consume: (event: Envelope, message: JsMsg) => Promise<boolean>;
  saveProgress: (lease: PartitionLease) => Promise<void>;
  log: Logger;
}

/**
 * Starts reading a partition after the position of its lease, after the last message that the stream still has if it has lost messages,
 * or from the start of the stream when the position belongs to an earlier stream.
 */
export async function readPartition(options: PartitionReaderOptions): Promise<PartitionReader> {
  const { bus, lease, stream, consumer: name, read, consume, saveProgress, log } = options;
  const { partition } = lease;
  const { epoch } = stream;
  /** Last sequence before the first event in progress. Another replica continues after it. */
  let completedSequence = lease.streamEpoch === epoch ? await sequenceToContinue(bus, stream, lease) : 0;
  let { readUntil } = lease;
  let streamSequence = lease.streamEpoch === epoch ? lease.streamSequence : null;
  let newestSequence = completedSequence;
  let savedSequence = completedSequence;
  let pending = 0;
  let isReadingMessage = false;
  let isAlive = true;
  /** Set by `stop`, and when `consume` abandoned an event because this replica stops. */
  let isStopping = false;
  const inProgress = new Map<number, Promise<unknown>>();
  const lastOfEntity = new Map<string, Promise<boolean>>();

  const consumer = await bus.js.consumers.get(stream.name, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: completedSequence + 1,
    filter_subjects: subjectFilter({ partition, subscriber: name }),
  });
  const messages = await consumer.consume({ max_messages: 4 * CONCURRENCY, idle_heartbeat: HEARTBEAT_MS });

  /** Consumes an event after the earlier events of its entity. */
  function consumeInOrder(event: Envelope, message: JsMsg): Promise<boolean> {
    const { entityId } = event;
    const work = (lastOfEntity.get(entityId) ?? Promise.resolve(true)).then((isDone) => isDone && consume(event, message));
    lastOfEntity.set(entityId, work);
    void work.then(() => {
      if (lastOfEntity.get(entityId) === work) lastOfEntity.delete(entityId);
    });
    return work;
  }

  async function startConsuming(message: JsMsg): Promise<void> {
    isReadingMessage = true;
    const events = await read(message);
    isReadingMessage = false;
    const work = Promise.all(events.map((event) => consumeInOrder(event, message)));
    inProgress.set(message.seq, work);
    newestSequence = message.seq;
    readUntil = storedAt(message);
    void work.then((results) => {
      if (results.includes(false)) {
        isStopping = true;
        return;
      }
      inProgress.delete(message.seq);
      // The keys are in the order of the stream, so all messages before the first key are done.
      const [first] = inProgress.keys();
      completedSequence = first === undefined ? newestSequence : first - 1;
    });
  }

  let newest: { last_seq: number; last_ts: string } | undefined;
  let idleSavedAt = performance.now();
  /** Advances the time and the end of the stream of a partition that has no messages: while it was read, the stream deleted none of its messages. */
  function advanceWhileIdle(): boolean {
    const isIdle = pending + inProgress.size === 0 && !isReadingMessage;
    const isDue = isStopping || performance.now() - idleSavedAt > IDLE_SAVE_MS;
    if (!isIdle || !isDue || !newest || Date.parse(newest.last_ts) <= Date.parse(readUntil ?? "1970-01-01")) return false;
    idleSavedAt = performance.now();
    readUntil = newest.last_ts;
    streamSequence = newest.last_seq;
    return true;
  }

  const save = async () => {
    if (!advanceWhileIdle() && savedSequence === completedSequence) return;
    const sequence = completedSequence;
    await saveProgress({ partition, streamEpoch: epoch, sequence, readUntil, streamSequence }).then(
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
      await startConsuming(message);
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
      return pending + inProgress.size + Number(isReadingMessage);
    },
    get sequence() {
      return completedSequence;
    },
    setNewest: (state) => void (newest = state),
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
