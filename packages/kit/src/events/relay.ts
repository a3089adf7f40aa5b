/**
 * Publishes the events of the outbox, each once on a stream, those of an organization in commit order. One relay at a time holds
 * the service's lease; another replica takes over seconds after the holder died.
 *
 * Progress is a position in the outbox and the snapshot in which the relay read up to it: events that the snapshot did not see
 * may have lower positions, and are read again. So nothing is written for a single event, and a relay starts at the same cost
 * however long the outbox is.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { MsgRequest, StoredMsg } from "@nats-io/jetstream";
import type pg from "pg";
import type { ProcessKeys } from "../auth/keys.ts";
import { newId } from "../db/entity.ts";
import { sendOnce, sql, type RawBuilder } from "../db/statement.ts";
import type { Logger } from "../observability/log.ts";
import { onReconnect } from "./lost-messages.ts";
import { hasLostPublications, progressBeforeLoss } from "./lost-publications.ts";
import { messageHeaders, readMessage, UnreadableMessageError } from "./message.ts";
import { ensureStream, readSubject, subjectFilter, type EventBus, type EventStream } from "./nats.ts";
import { EMPTY_SNAPSHOT, nextProgress, selectUnpublished, toMessages, type OutgoingMessage, type Progress } from "./outbox-reader.ts";

const POLL_MS = 250;
/** Minimum time between two reads, in which the events of concurrent transactions gather. */
const GATHER_MS = 2;
/** Time in which the holder of the lease answers a challenge. */
const CHALLENGE_SECONDS = 5;
/**
 * Time for which a renewal permits publishing: shorter than the time to answer, since a challenge that the renewal did not see yet
 * may have begun a moment before it. If its commit takes longer than the difference, two relays publish the same messages for a
 * moment; the stream stores those with the same id once.
 */
const LEASE_MS = 4_000;
const LEASE_RENEWAL_MS = 1_000;
const PUBLISH_TIMEOUT_MS = 3_000;
const CLEANUP_MS = 60_000;
/** The first of this many consecutive failures is logged. */
const LOG_EVERY_FAILURES = 20;

export interface Relay {
  /** Publishes new events without waiting for the next poll. */
  wake(): void;
  stop(): Promise<void>;
}

export interface RelayOptions {
  pool: pg.Pool;
  bus: EventBus;
  /** Keys of the publishing process, whose name is the publisher of the events. */
  keys: ProcessKeys;
  log: Logger;
}

/** Returns the request for the first message of a publisher at or after a sequence. The client's types lack `next_by_subj`. */
const nextMessageOf = (publisher: string, sequence: number) => ({ seq: sequence, next_by_subj: subjectFilter({ publisher }) }) as MsgRequest;

const progressColumns = sql`stream_epoch, stream_sequence, published_position, snapshot::text, era_position`;

/** Starts the relay. It works across organizations and accesses only the outbox and its own state. */
export function startRelay({ pool, bus, keys, log }: RelayOptions): Relay {
  const holder = newId();
  let isStopping = false;
  let wakeUp: () => void = () => undefined;
  /** Set by `wake` during a batch, which may have missed the new events. */
  let isWakeRequested = false;
  let cleanedUpAt = performance.now();
  let [renewAt, leaseEndsAt] = [0, 0];
  let stream: EventStream | undefined;
  /** Undefined until this replica holds the lease and knows what the stream contains. */
  let progress: Progress | undefined;
  /** Ids of events that an earlier holder published without storing its progress, and sequence of the last of their messages. */
  let publishedBefore = new Set<string>();
  let lastPublishedBefore = 0;
  /** Set when the stream gave a new message the sequence of an earlier one. */
  let isSequenceReused = false;

  const all = <R>(query: RawBuilder<R>): Promise<R[]> => sendOnce(pool, query);

  /**
   * Acquires or renews the lease. Returns the stored progress, or undefined if another replica holds the lease.
   *
   * A lease has no end until another replica challenges it by setting one, and the holder answers by removing the end. So a relay
   * without other replicas writes nothing while it publishes nothing.
   */
  async function renewLease(): Promise<Progress | undefined> {
    const requestedAt = performance.now();
    const [unchallenged] = await all(sql<Progress>`select ${progressColumns} from relay_state where holder = ${holder} and until = 'infinity'`);
    const [stored] = unchallenged
      ? [unchallenged]
      : await all(sql<Progress>`update relay_state set holder = ${holder}, until = 'infinity' where holder = ${holder} or until is null or until < now()
          returning ${progressColumns}`);
    if (!stored) await all(sql`update relay_state set until = clock_timestamp() + make_interval(secs => ${CHALLENGE_SECONDS}) where until = 'infinity'`);
    [renewAt, leaseEndsAt] = [requestedAt + LEASE_RENEWAL_MS, requestedAt + LEASE_MS];
    return stored;
  }

  /**
   * Returns true if this replica holds the lease. Loads the progress after an acquisition, when another holder has changed it, and
   * when the stream was replaced. A replica that cannot reach NATS does not renew its lease, so that another one takes over.
   */
  async function holdLease(): Promise<boolean> {
    if (progress && performance.now() < renewAt) return true;
    stream = await ensureStream(bus);
    const stored = await renewLease();
    const isCurrent = progress?.streamEpoch === stream.epoch && stored?.snapshot === progress.snapshot;
    if (!stored) progress = undefined;
    else if (!isCurrent || (await hasLostMessages(stored, stream))) progress = await loadProgress(stored, stream);
    return progress !== undefined;
  }

  /** Returns true if the stream has lost messages up to the stored sequence. While a loss is being made up for, that is not checked. */
  const hasLostMessages = async ({ streamEpoch, streamSequence }: Progress, current: EventStream): Promise<boolean> =>
    streamEpoch === current.epoch && (isSequenceReused || (publishedBefore.size === 0 && (await hasLostPublications(bus, current, keys.name, streamSequence))));

  /**
   * Returns the stored progress, none for a new stream, or one before the loss if the stream has lost its last messages. Finds the
   * events that were published after it.
   */
  async function loadProgress(stored: Progress, current: EventStream): Promise<Progress> {
    const { name, epoch, state } = current;
    publishedBefore = new Set();
    lastPublishedBefore = 0;
    if (stored.streamEpoch !== epoch) isSequenceReused = false;
    let loaded = stored.streamEpoch === epoch ? stored : { ...stored, streamEpoch: epoch, streamSequence: 0, publishedPosition: 0, snapshot: EMPTY_SNAPSHOT };
    if (await hasLostMessages(stored, current)) {
      loaded = await progressBeforeLoss({ pool, bus, stream: current, stored, idsOf, renew: keepLease });
      // Stored before anything is published again, after which the loss could not be recognised.
      await storeProgress(loaded);
      isSequenceReused = false;
      log.error({ stored: stored.streamSequence, last: state.last_seq }, "the event stream has lost messages, which are published again");
    }
    for (let sequence = loaded.streamSequence; ;) {
      const message = await bus.manager.streams.getMessage(name, nextMessageOf(keys.name, sequence + 1));
      if (!message) return loaded;
      sequence = lastPublishedBefore = message.seq;
      for (const id of idsOf(message)) publishedBefore.add(id);
      await keepLease();
    }
  }

  /** Renews the lease when it is due. Throws when another replica has taken over. */
  async function keepLease(): Promise<void> {
    if (performance.now() > renewAt && !(await renewLease())) throw new Error("Another replica has taken over the relay.");
  }

  /** Returns the ids of the events of a message; none of one that this service has not signed. */
  function idsOf({ subject, header, data }: StoredMsg): string[] {
    if (readSubject(subject).publisher !== keys.name) return [];
    try {
      return readMessage(keys, { subject, headers: header, string: () => Buffer.from(data).toString() }).map(({ id }) => id);
    } catch (error) {
      if (error instanceof UnreadableMessageError) return [];
      throw error;
    }
  }

  async function storeProgress(next: Progress): Promise<void> {
    const { streamEpoch, streamSequence, publishedPosition, snapshot } = next;
    const stored = await all(sql`update relay_state set stream_epoch = ${streamEpoch}, stream_sequence = ${streamSequence},
        published_position = ${publishedPosition}, snapshot = ${snapshot}::pg_snapshot
      where holder = ${holder} returning holder`);
    if (stored.length === 0) throw new Error("Another replica has taken over the relay.");
    progress = next;
  }

  /** Publishes the messages of one organization, each after the acknowledgement of the previous one. Returns the last sequence. */
  async function publishInOrder({ streamSequence }: Progress, streamName: string, messages: readonly OutgoingMessage[]): Promise<number> {
    let sequence = 0;
    for (const { id, subject, payload, traceParent } of messages) {
      // A process that stood still must not publish beside the replica that has taken over.
      if (performance.now() > leaseEndsAt) throw new Error("The lease of the relay has expired.");
      // A stream that replaced a lost one, and starts with earlier events, refuses messages that name the lost one.
      const options = { msgID: id, timeout: PUBLISH_TIMEOUT_MS, expect: { streamName }, headers: messageHeaders(keys, subject, payload, traceParent) };
      const stored = await bus.js.publish(subject, payload, options);
      sequence = stored.seq;
      isSequenceReused ||= sequence <= streamSequence && !stored.duplicate;
      if (isSequenceReused) throw new Error("The event stream has lost messages.");
    }
    return sequence;
  }

  /** Publishes one batch and stores the progress. Returns true if more events may wait. */
  async function publishBatch(current: Progress, streamName: string): Promise<boolean> {
    const { events, snapshot, isComplete } = await selectUnpublished(pool, current);
    if (events.length === 0) return false;
    const messages = toMessages(
      keys.name,
      events.filter(({ eventId }) => !publishedBefore.has(eventId)),
    );
    const byOrganization = Map.groupBy(messages, ({ organizationId }) => organizationId);
    const published = await Promise.allSettled([...byOrganization.values()].map((ofOrganization) => publishInOrder(current, streamName, ofOrganization)));
    const sequences = published.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
    // Until the events published before have all been passed, a successor reads their ids again.
    const isCatchingUp = publishedBefore.size > 0 && !isComplete;
    const streamSequence = isCatchingUp ? current.streamSequence : Math.max(current.streamSequence, lastPublishedBefore, ...sequences);
    await storeProgress({ ...nextProgress(current, events, snapshot), streamSequence });
    if (isComplete) publishedBefore.clear();
    return !isComplete;
  }

  /** Empties the partitions of the outbox and the inbox whose events are older than the retention. */
  async function deleteOldEvents(): Promise<void> {
    if (performance.now() - cleanedUpAt < CLEANUP_MS) return;
    cleanedUpAt = performance.now();
    await all(sql`select empty_event_slot()`).catch((error: unknown) => log.warn({ err: error }, "old events could not be deleted"));
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!isStopping) {
      isWakeRequested = false;
      try {
        while ((await holdLease()) && (await publishBatch(progress!, stream!.name)) && !isStopping) continue;
        if (progress) await deleteOldEvents();
        failures = 0;
      } catch (error) {
        // After a failed publication it is unknown which messages the stream has stored, so they are read again.
        progress = undefined;
        if (failures++ % LOG_EVERY_FAILURES === 0) log.warn({ err: error }, "events are waiting to be published");
      }
      if (isWakeRequested && failures === 0) {
        await sleep(GATHER_MS);
        continue;
      }
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
        void sleep(POLL_MS, undefined, { ref: false }).then(resolve);
      });
    }
  }

  // The server may have lost messages meanwhile, which the next check of the lease notices before anything is published.
  void onReconnect(bus, () => (renewAt = 0));
  const running = run();
  return {
    wake: () => {
      isWakeRequested = true;
      wakeUp();
    },
    stop: async () => {
      isStopping = true;
      wakeUp();
      await running;
      await all(sql`update relay_state set until = null where holder = ${holder}`).catch(() => undefined);
    },
  };
}
