/**
 * Publishes the outbox. One relay at a time holds the service's lease; another replica takes over seconds after it died.
 * An event is marked as published only after the stream has acknowledged it, and the stream drops duplicates by event id.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { newId } from "../db/entity.ts";
import { sendOnce, sql, type RawBuilder } from "../db/statement.ts";
import type { Logger } from "../observability/log.ts";
import { ensureStream, RETENTION_HOURS, streamEpochOf, subjectOf, traceHeaders, type EventBus } from "./nats.ts";

const BATCH_SIZE = 500;
const POLL_MS = 250;
const LEASE_SECONDS = 5;
const LEASE_RENEWAL_MS = 1_000;
const PUBLISH_TIMEOUT_MS = 3_000;
const OUTBOX_RETENTION_DAYS = 7;
const CLEANUP_MS = 3_600_000;
/** One of so many consecutive failures is logged. */
const LOG_EVERY = 20;

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

/** Progress of filling a new stream, as outbox positions. */
interface Refill {
  epoch: string;
  after: number;
  until: number;
}

export interface Relay {
  /** Publishes new events without waiting for the next poll. */
  wake(): void;
  /** Returns the number of events still to be published. */
  backlog(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the relay. It works across organizations and reads nothing but the outbox. */
export function startRelay(pool: pg.Pool, bus: EventBus, log: Logger): Relay {
  const holder = newId();
  let isStopping = false;
  let wakeUp: () => void = () => undefined;
  /** Set by `wake` during a batch, which may have missed the new events. */
  let isAwaited = false;
  let cleanedUpAt = 0;
  let renewAt = 0;
  /** Epoch of the stream that has every event marked as published. */
  let filledEpoch: string | undefined;
  /** Set while a new stream is being filled with the retained events, published or not. */
  let refill: Refill | undefined;
  /** Positions that the stream has acknowledged and the outbox does not show as published yet. */
  const unmarked = new Set<number>();
  let marking: Promise<void> | undefined;

  const all = <R>(query: RawBuilder<R>): Promise<R[]> => sendOnce(pool, query);

  /** Acquires or renews the lease and tells whether this replica holds it. */
  async function holdLease(): Promise<boolean> {
    if (performance.now() < renewAt) return true;
    const held = await all(sql`insert into relay_lease (name, holder, until) values ('outbox', ${holder}, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (name) do update set holder = excluded.holder, until = excluded.until where relay_lease.until < now() or relay_lease.holder = excluded.holder
      returning name`);
    if (held.length === 0) filledEpoch = refill = undefined;
    else renewAt = performance.now() + LEASE_RENEWAL_MS;
    return held.length > 0;
  }

  /** Tells whether the stream is filled; begins a refill when it is new. */
  async function isFilled(epoch: string): Promise<boolean> {
    if (refill?.epoch === epoch) return false;
    if (filledEpoch === epoch) return true;
    const [lease] = await all(sql<{ streamEpoch: string | null }>`select stream_epoch from relay_lease where name = 'outbox'`);
    const [range] = await all(sql<{
      first: number | null;
      last: number | null;
    }>`select min(position) filter (where created_at > now() - make_interval(hours => ${RETENTION_HOURS})) as first,
      max(position) as last from outbox`);
    if (lease?.streamEpoch === epoch || !range?.first) await saveFilled(epoch);
    else refill = { epoch, after: range.first - 1, until: range.last! };
    return refill === undefined;
  }

  /** Stores the epoch only when the stream is complete: a relay that takes over earlier starts the refill again, and the stream drops the duplicates. */
  async function saveFilled(epoch: string): Promise<void> {
    await all(sql`update relay_lease set stream_epoch = ${epoch} where name = 'outbox' and holder = ${holder}`);
    filledEpoch = epoch;
    refill = undefined;
  }

  /** Marks acknowledged events as published. Those left unmarked by a crash are published again, and the stream drops them. */
  async function markPublished(): Promise<void> {
    while (unmarked.size > 0) {
      const positions = [...unmarked];
      await all(sql`update outbox set published_at = now() where position = any(${positions}::bigint[])`);
      for (const position of positions) unmarked.delete(position);
    }
  }

  /** Marks in the background, beside the next batch, which also retries a failure. */
  function startMarking(): void {
    marking ??= markPublished()
      .catch(() => undefined)
      .finally(() => {
        marking = undefined;
      });
  }

  /** Publishes the events of one entity, each after the acknowledgement of the one before, so that a lost one is not overtaken. */
  async function publishInOrder(rows: readonly OutboxRow[]): Promise<{ published: number[]; error?: unknown }> {
    const published: number[] = [];
    try {
      for (const row of rows) {
        const trace = row.traceParent === null ? {} : { headers: traceHeaders(row.traceParent) };
        await bus.js.publish(subjectOf(row), row.envelope, { msgID: row.eventId, timeout: PUBLISH_TIMEOUT_MS, ...trace });
        if (!row.isPublished) published.push(row.position);
      }
      return { published };
    } catch (error) {
      return { published, error };
    }
  }

  const nextRows = (current: Refill | undefined) =>
    all(sql<OutboxRow>`select position, event_id, organization_id, envelope ->> 'entityId' as entity_id, envelope ->> 'type' as type, envelope::text as envelope, trace_parent,
        published_at is not null as is_published from outbox
      where ${current ? sql`position > ${current.after} and position <= ${current.until}` : sql`published_at is null and position <> all(${[...unmarked]}::bigint[])`}
      order by position limit ${BATCH_SIZE}`);

  async function publishBatch(): Promise<number> {
    const epoch = streamEpochOf(await ensureStream(bus));
    const current = (await isFilled(epoch)) ? undefined : refill;
    const rows = await nextRows(current);
    const results = await Promise.all([...Map.groupBy(rows, ({ entityId }) => entityId).values()].map(publishInOrder));
    for (const position of results.flatMap(({ published }) => published)) unmarked.add(position);
    startMarking();
    const failed = results.find(({ error }) => error !== undefined);
    if (failed) throw failed.error;
    if (!current) return rows.length;
    current.after = rows.at(-1)?.position ?? current.until;
    if (current.after >= current.until) await saveFilled(epoch);
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
      isAwaited = false;
      try {
        if (await holdLease()) {
          while ((await publishBatch()) === BATCH_SIZE && !isStopping) await holdLease();
          await deleteOldEvents();
        }
        failures = 0;
      } catch (error) {
        if (failures++ % LOG_EVERY === 0) log.warn({ err: error }, "events are waiting to be published");
      }
      if (isAwaited && failures === 0) continue;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
        void sleep(POLL_MS, undefined, { ref: false }).then(resolve);
      });
    }
  }

  const running = run();
  return {
    wake: () => {
      isAwaited = true;
      wakeUp();
    },
    backlog: async () => {
      const inRefill = refill ? sql`position > ${refill.after} and position <= ${refill.until}` : sql`false`;
      return (await all(sql<{ count: number }>`select count(*) as count from outbox where published_at is null or ${inRefill}`))[0]!.count;
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
