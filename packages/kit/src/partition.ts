/** Reads one partition of the events: entities side by side, each entity's events one after the other. */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Envelope } from "@freehold/contract/events";
import type { Logger } from "./log.ts";
import { STREAM, subjectsOf, typeIn, type Bus } from "./nats.ts";
import type { Share } from "./shares.ts";

const AT_ONCE = 8;
/** How soon a server that went away with our place in the stream is noticed. */
const HEARTBEAT_MS = 2_000;
const SAVE_MS = 250;

export interface Reading {
  /** The stream that is read. */
  readonly epoch: string;
  /** False once the stream ended under it. */
  readonly isAlive: boolean;
  /** Events of the partition that are still to be consumed. */
  readonly lag: number;
  /** Reads no more, lets what is under way finish, and saves how far it came. */
  stop(): Promise<void>;
}

export interface PartitionToRead {
  bus: Bus;
  share: Share;
  epoch: string;
  /** The types of events about which anything is done. */
  types: readonly string[];
  /** True when the event needs no more work. */
  persist: (event: Envelope, message: JsMsg) => Promise<boolean>;
  save: (share: Share) => Promise<void>;
  log: Logger;
}

export async function readPartition({ bus, share, epoch, types, persist, save, log }: PartitionToRead): Promise<Reading> {
  const { partition } = share;
  const handled = new Set(types);
  /** The last event before the first that is not yet done: where a successor begins. */
  let done = share.streamEpoch === epoch ? share.sequence : 0;
  let newest = done;
  let saved = done;
  let pending = 0;
  let isAlive = true;
  /** No more is taken: we are told to stop, or an event was given up because the consumer ends. */
  let stopping = false;
  const underWay = new Map<number, Promise<boolean>>();
  const lastOf = new Map<string, Promise<boolean>>();

  const consumer = await bus.js.consumers.get(STREAM, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: done + 1,
    // One type can be asked for by its name; of several the server sends all, since old ones know one filter only.
    filter_subjects: subjectsOf({ partition, type: types.length === 1 ? types[0] : undefined }),
  });
  const messages = await consumer.consume({ max_messages: 4 * AT_ONCE, idle_heartbeat: HEARTBEAT_MS });

  function take(message: JsMsg): void {
    const event = message.json<Envelope>();
    const { entityId } = event;
    const work = (lastOf.get(entityId) ?? Promise.resolve(true)).then((isDone) => isDone && persist(event, message));
    lastOf.set(entityId, work);
    underWay.set(message.seq, work);
    void work.then((isDone) => {
      if (lastOf.get(entityId) === work) lastOf.delete(entityId);
      if (!isDone) {
        stopping = true;
        return;
      }
      underWay.delete(message.seq);
      // Sequences are read in order, so the first that is left bounds what is done.
      const [first] = underWay.keys();
      done = first === undefined ? newest : first - 1;
    });
  }

  const saveProgress = async () => {
    if (saved === done) return;
    const sequence = done;
    await save({ partition, streamEpoch: epoch, sequence }).then(
      () => (saved = sequence),
      (error: unknown) => log.warn({ err: error }, "progress could not be saved"),
    );
  };
  const saving = setInterval(() => void saveProgress(), SAVE_MS);
  saving.unref();

  const reading = (async () => {
    for await (const message of messages) {
      if (stopping) break;
      pending = message.info.pending;
      newest = message.seq;
      if (handled.has(typeIn(message.subject))) take(message);
      else if (underWay.size === 0) done = newest;
      while (underWay.size >= AT_ONCE && !stopping) await Promise.race(underWay.values());
    }
  })()
    .catch((error: unknown) => log.warn({ err: error, partition }, "a partition is read no more"))
    .finally(() => {
      isAlive = false;
    });

  return {
    epoch,
    get isAlive() {
      return isAlive;
    },
    get lag() {
      return pending + underWay.size;
    },
    stop: async () => {
      stopping = true;
      messages.stop();
      await reading;
      await Promise.allSettled(underWay.values());
      clearInterval(saving);
      await saveProgress();
    },
  };
}
