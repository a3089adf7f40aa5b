/**
 * Publishes the events of the outbox. One relay at a time holds the service's lease; another replica takes over seconds after
 * the holder died. An event is marked as published only after the stream has acknowledged it. An event published twice within
 * the stream's duplicate window is dropped by its id; later duplicates reach the subscribers.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { newId } from "../db/entity.ts";
import { sendOnce, sql, type RawBuilder } from "../db/statement.ts";
import type { Logger } from "../observability/log.ts";
import { ensureStream, RETENTION_HOURS, subjectOf, traceHeaders, type EventBus } from "./nats.ts";

const BATCH_SIZE = 500;
const POLL_MS = 250;
const LEASE_SECONDS = 5;
const LEASE_RENEWAL_MS = 1_000;
const PUBLISH_TIMEOUT_MS = 3_000;
const OUTBOX_RETENTION_DAYS = 7;
const CLEANUP_MS = 3_600_000;
/** The first of this many consecutive failures is logged. */
const LOG_EVERY_FAILURES = 20;

interface OutboxRow {
  position: number;
  eventId: string;
  organizationId: string;
  entityId: string;
  type: string;
  envelope: string;
  traceParent: string | null;
  isPublished: boolean;
}

/** Progress of filling a new stream from the outbox. */
interface Refill {
  epoch: string;
  /** Position of the last event that was published. */
  publishedPosition: number;
  /** Position of the last event to publish. */
  lastPosition: number;
}

export interface Relay {
  /** Publishes new events without waiting for the next poll. */
  wake(): void;
  /** Returns the number of events that are not marked as published or are to be published again in a refill. */
  backlog(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the relay. It works across organizations and accesses only the outbox and its lease. */
export function startRelay(pool: pg.Pool, bus: EventBus, log: Logger): Relay {
  const holder = newId();
  let isStopping = false;
  let wakeUp: () => void = () => undefined;
  /** Set by `wake` during a batch, which may have missed the new events. */
  let isWakeRequested = false;
  let cleanedUpAt = 0;
  let renewAt = 0;
  /** Epoch of the stream that contains every retained event marked as published. */
  let filledEpoch: string | undefined;
  /** Set while a new stream is being filled with the retained events, published or not. */
  let refill: Refill | undefined;
  /** Positions of events that the stream has acknowledged and that are not yet marked as published. */
  const unmarked = new Set<number>();
  let marking: Promise<void> | undefined;

  const all = <R>(query: RawBuilder<R>): Promise<R[]> => sendOnce(pool, query);

  /** Acquires or renews the lease. Returns true if this replica holds it. */
  async function holdLease(): Promise<boolean> {
    if (performance.now() < renewAt) return true;
    const heldLeases = await all(sql`insert into relay_lease (name, holder, until) values ('outbox', ${holder}, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (name) do update set holder = excluded.holder, until = excluded.until where relay_lease.until < now() or relay_lease.holder = excluded.holder
      returning name`);
    if (heldLeases.length === 0) filledEpoch = refill = undefined;
    else renewAt = performance.now() + LEASE_RENEWAL_MS;
    return heldLeases.length > 0;
  }

  /** Returns true if the stream is filled. Begins a refill of a new stream. */
  async function checkFilled(epoch: string): Promise<boolean> {
    if (refill?.epoch === epoch) return false;
    if (filledEpoch === epoch) return true;
    const [lease] = await all(sql<{ streamEpoch: string | null }>`select stream_epoch from relay_lease where name = 'outbox'`);
    const [range] = await all(sql<{
      first: number | null;
      last: number | null;
    }>`select min(position) filter (where created_at > now() - make_interval(hours => ${RETENTION_HOURS})) as first,
      max(position) as last from outbox`);
    if (lease?.streamEpoch === epoch || !range?.first) await saveFilled(epoch);
    else refill = { epoch, publishedPosition: range.first - 1, lastPosition: range.last! };
    return refill === undefined;
  }

  /** Stores the epoch of a complete stream. A relay that takes over before starts the refill again. */
  async function saveFilled(epoch: string): Promise<void> {
    await all(sql`update relay_lease set stream_epoch = ${epoch} where name = 'outbox' and holder = ${holder}`);
    filledEpoch = epoch;
    refill = undefined;
  }

  /** Marks acknowledged events as published. Those left unmarked by a crash are published again by the next holder. */
  async function markPublished(): Promise<void> {
    while (unmarked.size > 0) {
      const positions = [...unmarked];
      await all(sql`update outbox set published_at = now() where position = any(${positions}::bigint[])`);
      for (const position of positions) unmarked.delete(position);
    }
  }

  /** Marks acknowledged events in the background, while the next batch is published. A failure is retried after that batch. */
  function startMarking(): void {
    marking ??= markPublished()
      .catch(() => undefined)
      .finally(() => {
        marking = undefined;
      });
  }

  /**
   * Publishes the events of one entity, each after the acknowledgement of the previous one, so that the first failure ends the
   * sequence. A new stream, which starts with earlier events, refuses those that name the lost one. Returns the positions of
   * published events to be marked, and the error.
   */
  async function publishInOrder(streamName: string, rows: readonly OutboxRow[]): Promise<{ toMark: number[]; error?: unknown }> {
    const toMark: number[] = [];
    try {
      for (const row of rows) {
        const trace = row.traceParent === null ? {} : { headers: traceHeaders(row.traceParent) };
        await bus.js.publish(subjectOf(row), row.envelope, { msgID: row.eventId, timeout: PUBLISH_TIMEOUT_MS, expect: { streamName }, ...trace });
        if (!row.isPublished) toMark.push(row.position);
      }
      return { toMark };
    } catch (error) {
      return { toMark, error };
    }
  }

  const nextRows = (current: Refill | undefined) =>
    all(sql<OutboxRow>`select position, event_id, organization_id, envelope ->> 'entityId' as entity_id, envelope ->> 'type' as type, envelope::text as envelope, trace_parent,
        published_at is not null as is_published from outbox
      where ${current ? sql`position > ${current.publishedPosition} and position <= ${current.lastPosition}` : sql`published_at is null and position <> all(${[...unmarked]}::bigint[])`}
      order by position limit ${BATCH_SIZE}`);

  /** Publishes one batch. Returns the batch size if more events may wait. */
  async function publishBatch(): Promise<number> {
    const { name, epoch } = await ensureStream(bus);
    const current = (await checkFilled(epoch)) ? undefined : refill;
    const rows = await nextRows(current);
    const results = await Promise.all([...Map.groupBy(rows, ({ entityId }) => entityId).values()].map((rows) => publishInOrder(name, rows)));
    for (const position of results.flatMap(({ toMark }) => toMark)) unmarked.add(position);
    startMarking();
    const failed = results.find(({ error }) => error !== undefined);
    if (failed) throw failed.error;
    if (!current) return rows.length;
    current.publishedPosition = rows.at(-1)?.position ?? current.lastPosition;
    if (current.publishedPosition >= current.lastPosition) await saveFilled(epoch);
    return BATCH_SIZE;
  }

  async function deleteOldEvents(): Promise<void> {
    if (Date.now() - cleanedUpAt < CLEANUP_MS) return;
    cleanedUpAt = Date.now();
    await all(sql`delete from outbox where published_at < now() - make_interval(days => ${OUTBOX_RETENTION_DAYS})`);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!isStopping) {
      isWakeRequested = false;
      try {
        if (await holdLease()) {
          while ((await publishBatch()) === BATCH_SIZE && !isStopping) await holdLease();
          await deleteOldEvents();
        }
        failures = 0;
      } catch (error) {
        if (failures++ % LOG_EVERY_FAILURES === 0) log.warn({ err: error }, "events are waiting to be published");
      }
      if (isWakeRequested && failures === 0) continue;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
        void sleep(POLL_MS, undefined, { ref: false }).then(resolve);
      });
    }
  }

  const running = run();
  return {
    wake: () => {
      isWakeRequested = true;
      wakeUp();
    },
    backlog: async () => {
      const isInRefill = refill ? sql`position > ${refill.publishedPosition} and position <= ${refill.lastPosition}` : sql`false`;
      return (await all(sql<{ count: number }>`select count(*) as count from outbox where published_at is null or ${isInRefill}`))[0]!.count;
    },
    stop: async () => {
      isStopping = true;
      wakeUp();
      await running;
      await marking;
      // The epoch stays in the row, so that the next holder does not refill the stream.
      await all(sql`update relay_lease set until = '-infinity' where name = 'outbox' and holder = ${holder}`).catch(() => undefined);
    },
  };
}
