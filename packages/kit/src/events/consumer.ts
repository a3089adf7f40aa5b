/**
 * Consumer of other services' events: each effect exactly once, in order per entity, across replicas and crashes. The effect
 * and its inbox row commit together and the position of each partition is stored beside them, so nothing depends on the
 * state that NATS keeps of consumers. An event that fails goes to the retry queue.
 */
import type { JsMsg } from "@nats-io/jetstream";
import { setTimeout as sleep } from "node:timers/promises";
import { isEventType, type Envelope } from "@freehold/contract/events";
import type { ProcessKeys } from "../auth/keys.ts";
import { systemPrincipal } from "../auth/principal.ts";
import { OrgDb, unscopedDb, type Database } from "../db/org-db.ts";
import { sql } from "../db/statement.ts";
import { transaction } from "../db/transaction.ts";
import type { Logger } from "../observability/log.ts";
import { TRACE_HEADER, withSpan } from "../observability/tracing.ts";
import { readMessage, UnreadableMessageError } from "./message.ts";
import { hasMissedMessages, onReconnect } from "./lost-messages.ts";
import { ensureStream, type EventBus, type EventStream } from "./nats.ts";
import { readPartition, type PartitionReader } from "./partition.ts";
import { partitionLeases, type PartitionLease } from "./partition-leases.ts";
import { retryQueue } from "./retry-queue.ts";
import { stallDetector } from "./stalls.ts";
import { isBatchHandler, type EventHandler, type Once, type Subscriptions } from "./subscriptions.ts";

const LEASE_RENEWAL_MS = 1_000;
const RETRY_POLL_MS = 1_000;
/** Pause before the next attempt while the database is unavailable. */
const PAUSE_MS = 500;
const STOP_MS = 5_000;
/** The first of this many consecutive failures is logged. */
const LOG_EVERY = 20;
/** Maximum difference between the clocks of a service and of NATS when the time of an event is compared with that of its stream. */
const CLOCK_TOLERANCE_MS = 60_000;

export interface Consumer {
  /** Number of messages of this replica's partitions that are still to be consumed. */
  readonly lag: number;
  /** Seconds for which a partition of this replica has not advanced although messages wait, or has lacked messages that it missed; 0 otherwise. */
  readonly stalledSeconds: number;
  stop(): Promise<void>;
}

/** Creates `apply`, which runs the handler of an event, and removes it from the retry queue when it came from there. */
function eventApplier(name: string, database: Database, handlers: Record<string, EventHandler | undefined>) {
  return async function apply(event: Envelope, { position, parent }: { position?: number; parent?: string | undefined } = {}): Promise<void> {
    const db = new OrgDb(database, systemPrincipal(event.organizationId), { requestId: event.requestId });
    const dequeue = sql`delete from parked_event where position = ${position}`;
    const once: Once = (effect) =>
      transaction(db, async (tx) => {
        if (position !== undefined) await tx.all(dequeue);
        const isNew =
          await tx.all(sql`insert into inbox (consumer, event_id, slot) values (${name}, ${event.id}, event_slot(uuid_extract_timestamp(${event.id}::uuid)))
          on conflict do nothing returning event_id`);
        if (isNew.length > 0) await effect(tx);
      });
    const handler = handlers[event.type];
    if (!handler) throw new Error(`This version of ${name} does not handle events of the type ${event.type}.`);
    await withSpan({ name: `consume ${event.type}`, kind: "consumer", parent }, () => handler(db, event, once));
    if (position !== undefined) await db.all(dequeue);
  };
}

export interface ConsumerOptions {
  /** Name of the consumer. A service is sent the events that it subscribes to, any other consumer all events. */
  name: string;
  database: Database;
  bus: EventBus;
  keys: Pick<ProcessKeys, "isSignedBy">;
  subscriptions: Subscriptions;
  log: Logger;
}

/** Starts consuming the events that have a subscription, sharing the partitions with the other replicas of the service. */
export function startConsumer({ name, database, bus, keys, subscriptions, log }: ConsumerOptions): Consumer {
  const handlers = subscriptions as Record<string, EventHandler | undefined>;
  const leases = partitionLeases(database.pool, name);
  const retries = retryQueue(database, name, log);
  const apply = eventApplier(name, database, handlers);
  const readers = new Map<number, PartitionReader>();
  const stalls = stallDetector();
  let missedSeconds = 0;
  /** Partitions that were held without a reader at the last rebalance. */
  let unread: PartitionLease[] = [];
  let isStopping = false;
  const stopped = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined);

  /** Returns those events that are not in the inbox: a stream that replaced a lost one contains events that were consumed from the lost one. */
  async function withoutConsumed(events: readonly Envelope[], { createdAt }: EventStream): Promise<readonly Envelope[]> {
    const isOlderThanStream = ({ occurredAt }: Envelope) => Date.parse(occurredAt) < createdAt.getTime() + CLOCK_TOLERANCE_MS;
    const ids = events.filter((event) => isOlderThanStream(event) && !isBatchHandler(handlers[event.type])).map(({ id }) => id);
    if (ids.length === 0) return events;
    const consumed = await unscopedDb(database).all(
      sql<{ eventId: string }>`select event_id from inbox where consumer = ${name} and event_id = any(${ids}::uuid[])`,
    );
    const consumedIds = new Set(consumed.map(({ eventId }) => eventId));
    return events.filter(({ id }) => !consumedIds.has(id));
  }

  /**
   * Returns the events of a message that have a handler and were not consumed. An unreadable message becomes a dead letter. An event of a type that this
   * version does not know is returned, too: it then waits in the retry queue for a replica of the version that its publisher already has.
   */
  const readEvents = (stream: EventStream) => async (message: JsMsg) => {
    try {
      const events = readMessage(keys, message).filter(({ type }) => handlers[type] || !isEventType(type));
      return await withoutConsumed(events, stream);
    } catch (error) {
      if (!(error instanceof UnreadableMessageError)) throw error;
      log.error({ err: error, subject: message.subject, sequence: message.seq }, "an unreadable message became a dead letter");
      await retries.storeUnreadable(message, { error, epoch: stream.epoch });
      return [];
    }
  };

  async function consume(event: Envelope, message: JsMsg): Promise<void> {
    if (!isBatchHandler(handlers[event.type]) && retries.isBlocked(event.entityId))
      await retries.enqueue(event, new Error("an earlier event of the same entity is queued"));
    else await apply(event, { parent: message.headers?.get(TRACE_HEADER) }).catch((error: unknown) => retries.enqueue(event, error));
  }

  /** Consumes an event, repeating while not even the retry queue can be written. Returns false when this replica stops first. */
  async function consumeUntilStored(event: Envelope, message: JsMsg): Promise<boolean> {
    for (let failures = 0; !isStopping; failures++) {
      try {
        await consume(event, message);
        return true;
      } catch (error) {
        if (failures % LOG_EVERY === 0) log.warn({ err: error }, "an event has to wait");
        await pause(PAUSE_MS);
      }
    }
    return false;
  }

  /** Reports messages that the stream has deleted before this consumer read them: it was away for longer than they are kept. */
  async function reportMissed(lease: PartitionLease, stream: EventStream): Promise<void> {
    if (lease.streamEpoch !== stream.epoch || !hasMissedMessages(stream, lease)) return;
    const { partition, sequence: afterSequence } = lease;
    const missed = { partition, epoch: stream.epoch, afterSequence, firstSequence: stream.state.first_seq };
    log.error(missed, "messages were deleted before they were consumed");
    await retries.storeMissed(missed);
  }

  /** Observes the partitions that are read, and those whose reader could not be started. */
  function observeStalls(): void {
    const withReader = [...readers].map(([partition, { sequence, lag, isAlive }]) => ({ partition, sequence, isWaiting: lag > 0 || !isAlive }));
    const withoutReader = unread
      .filter(({ partition }) => !readers.has(partition))
      .map(({ partition, sequence }) => ({ partition, sequence, isWaiting: true }));
    stalls.observe([...withReader, ...withoutReader]);
  }

  /** Starts a reader for each partition held, and stops those of partitions lost or beyond this replica's share. */
  async function rebalance(): Promise<void> {
    observeStalls();
    // Read before the stream, which has grown once a reader has gone on.
    const sequences = new Map([...readers].map(([partition, { sequence }]) => [partition, sequence]));
    const stream = await ensureStream(bus);
    const held = await leases.renew();
    const surplus = held.slice(await leases.targetPartitionCount()).map(({ partition }) => partition);
    for (const [partition, reader] of readers) {
      const isHeld = held.some((lease) => lease.partition === partition) && !surplus.includes(partition);
      if (isHeld && reader.epoch === stream.epoch && reader.isAlive && sequences.get(partition)! <= stream.state.last_seq) {
        reader.setNewest(stream.state);
        continue;
      }
      await reader.stop();
      readers.delete(partition);
    }
    if (surplus.length > 0) await leases.release(surplus);
    unread = held.filter(({ partition }) => !readers.has(partition) && !surplus.includes(partition));
    if (unread.length > 0) await retries.refreshBlocked();
    for (const lease of unread) {
      await reportMissed(lease, stream);
      const { saveProgress } = leases;
      readers.set(
        lease.partition,
        await readPartition({ bus, lease, stream, consumer: name, read: readEvents(stream), consume: consumeUntilStored, saveProgress, log }),
      );
    }
    if (unread.length > 0 || missedSeconds > 0) missedSeconds = await retries.readMissedSeconds();
  }

  const repeat = async (work: () => Promise<void>, everyMs: number) => {
    while (!isStopping) {
      await work().catch((error: unknown) => {
        if (!isStopping) log.warn({ err: error }, "consuming pauses");
      });
      await pause(everyMs);
    }
  };
  // The server may have lost messages meanwhile, which a reader notices when it starts.
  void onReconnect(bus, () => {
    for (const reader of readers.values()) void reader.stop();
  });
  const rebalancing = repeat(rebalance, LEASE_RENEWAL_MS);
  const retrying = repeat(async () => {
    while (!isStopping && (await retries.retryDue((event, position) => apply(event, { position })))) continue;
    if (retries.blockedCount > 0) await retries.refreshBlocked();
  }, RETRY_POLL_MS);
  return {
    get lag() {
      return [...readers.values()].reduce((sum, reader) => sum + reader.lag, 0);
    },
    get stalledSeconds() {
      return Math.max(stalls.seconds, missedSeconds);
    },
    stop: async () => {
      isStopping = true;
      stopped.abort();
      const end = async () => {
        await rebalancing;
        await Promise.all([...readers.values()].map((reader) => reader.stop()));
        await retrying;
        await leases.deregister();
      };
      await Promise.race([end().catch(() => undefined), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}
