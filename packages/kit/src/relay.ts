/**
 * Publishes the outbox. One relay at a time holds a service's lease; another takes over seconds after it is gone.
 * An event is marked only once the stream has it, and the stream drops what it was sent twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { newId } from "./entity.ts";
import type { Logger } from "./log.ts";
import { ensureStream, epochOf, HOURS_KEPT, subjectOf, traceHeaders, type Bus } from "./nats.ts";
import { sendOnce, sql, type RawBuilder } from "./statement.ts";

const BATCH = 500;
const POLL_MS = 250;
const LEASE_SECONDS = 5;
const RENEW_MS = 1_000;
const KEPT_DAYS = 7;

interface Row {
  position: number;
  eventId: string;
  organizationId: string;
  entityId: string;
  type: string;
  envelope: string;
  traceParent: string | null;
  isPublished: boolean;
}

/** How far a new stream has been filled, by positions. */
interface Refill {
  epoch: string;
  after: number;
  until: number;
}

export interface Relay {
  /** There is something to publish. */
  nudge(): void;
  /** Rows that wait to be published. */
  backlog(): Promise<number>;
  stop(): Promise<void>;
}

/** The relay spans organizations, as no other code does; it reads nothing but the outbox. */
export function startRelay(pool: pg.Pool, bus: Bus, log: Logger): Relay {
  const holder = newId();
  let stopping = false;
  let wake: () => void = () => undefined;
  /** Said while the last batch was under way: that one may have missed it. */
  let isNudged = false;
  let tidiedAt = 0;
  let renewAt = 0;
  /** The stream that what is marked as published was published to. */
  let knownEpoch: string | undefined;
  /** A stream that is not the one we filled gets everything again that is still kept: from the first event to the last that was there when it was found. */
  let refill: Refill | undefined;
  /** Published, and not yet marked so: the next events need not wait for it. */
  const unmarked = new Set<number>();
  let marking: Promise<void> | undefined;

  const all = <R>(query: RawBuilder<R>): Promise<R[]> => sendOnce(pool, query);

  /** Whether the lease is ours. It is renewed long before it ends, and not for every batch. */
  async function holdLease(): Promise<boolean> {
    if (performance.now() < renewAt) return true;
    const held = await all(sql`insert into relay_lease (name, holder, until) values ('outbox', ${holder}, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (name) do update set holder = excluded.holder, until = excluded.until where relay_lease.until < now() or relay_lease.holder = excluded.holder
      returning name`);
    if (held.length === 0) knownEpoch = refill = undefined;
    else renewAt = performance.now() + RENEW_MS;
    return held.length > 0;
  }

  /** Whether the stream is the one that we filled; of one that is not, how it is to be filled. */
  async function isKnown(epoch: string): Promise<boolean> {
    if (refill?.epoch === epoch) return false;
    if (knownEpoch === epoch) return true;
    const [lease] = await all(sql<{ streamEpoch: string | null }>`select stream_epoch from relay_lease where name = 'outbox'`);
    const [range] = await all(sql<{
      first: number | null;
      last: number | null;
    }>`select min(position) filter (where created_at > now() - make_interval(hours => ${HOURS_KEPT})) as first,
      max(position) as last from outbox`);
    if (lease?.streamEpoch === epoch || !range?.first) await filled(epoch);
    else refill = { epoch, after: range.first - 1, until: range.last! };
    return refill === undefined;
  }

  /** Only a stream that has everything is known from now on: whoever takes over before begins again, and the stream drops what it has. */
  async function filled(epoch: string): Promise<void> {
    await all(sql`update relay_lease set stream_epoch = ${epoch} where name = 'outbox' and holder = ${holder}`);
    knownEpoch = epoch;
    refill = undefined;
  }

  /** Marks what was published until nothing is left. What a crash leaves unmarked is published again, and the stream drops it. */
  async function markPublished(): Promise<void> {
    while (unmarked.size > 0) {
      const positions = [...unmarked];
      await all(sql`update outbox set published_at = now() where position = any(${positions}::bigint[])`);
      for (const position of positions) unmarked.delete(position);
    }
  }

  /** Has the marks made beside what is published next. What fails is tried again with the next batch. */
  function startMarking(): void {
    marking ??= markPublished()
      .catch(() => undefined)
      .finally(() => {
        marking = undefined;
      });
  }

  /** An event of an entity is sent when the stream has the one before, so that none overtakes another that was lost on the way. */
  async function publishInOrder(events: readonly Row[]): Promise<{ published: number[]; error?: unknown }> {
    const published: number[] = [];
    try {
      for (const event of events) {
        const traced = event.traceParent === null ? {} : { headers: traceHeaders(event.traceParent) };
        await bus.js.publish(subjectOf(event), event.envelope, { msgID: event.eventId, timeout: 3_000, ...traced });
        if (!event.isPublished) published.push(event.position);
      }
      return { published };
    } catch (error) {
      return { published, error };
    }
  }

  /** Those that nobody has published come by their position; what is published again likewise, whether it was published before or not. */
  const waiting = (again: Refill | undefined) =>
    all(sql<Row>`select position, event_id, organization_id, envelope ->> 'entityId' as entity_id, envelope ->> 'type' as type, envelope::text as envelope, trace_parent,
        published_at is not null as is_published from outbox where ${again ? sql`position > ${again.after} and position <= ${again.until}` : sql`published_at is null and position <> all(${[...unmarked]}::bigint[])`}
      order by position limit ${BATCH}`);

  async function publishBatch(): Promise<number> {
    const epoch = epochOf(await ensureStream(bus));
    const again = (await isKnown(epoch)) ? undefined : refill;
    const rows = await waiting(again);
    const chains = await Promise.all([...Map.groupBy(rows, ({ entityId }) => entityId).values()].map(publishInOrder));
    for (const position of chains.flatMap(({ published }) => published)) unmarked.add(position);
    startMarking();
    const failed = chains.find(({ error }) => error !== undefined);
    if (failed) throw failed.error;
    if (!again) return rows.length;
    again.after = rows.at(-1)?.position ?? again.until;
    if (again.after >= again.until) await filled(epoch);
    return BATCH;
  }

  async function tidy(): Promise<void> {
    if (Date.now() - tidiedAt < 3_600_000) return;
    tidiedAt = Date.now();
    await all(sql`delete from outbox where published_at < now() - make_interval(days => ${KEPT_DAYS})`);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping) {
      isNudged = false;
      try {
        if (await holdLease()) {
          while ((await publishBatch()) === BATCH && !stopping) await holdLease();
          await tidy();
        }
        failures = 0;
      } catch (error) {
        if (failures++ % 20 === 0) log.warn({ err: error }, "events are waiting to be published");
      }
      if (isNudged && failures === 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        void sleep(POLL_MS, undefined, { ref: false }).then(resolve);
      });
    }
  }

  const running = run();
  return {
    nudge: () => {
      isNudged = true;
      wake();
    },
    backlog: async () => {
      const isAgain = refill ? sql`position > ${refill.after} and position <= ${refill.until}` : sql`false`;
      return (await all(sql<{ count: number }>`select count(*) as count from outbox where published_at is null or ${isAgain}`))[0]!.count;
    },
    stop: async () => {
      stopping = true;
      wake();
      await running;
      await marking;
      // Which stream was filled stays known to whoever comes next.
      await all(sql`update relay_lease set until = '-infinity' where name = 'outbox' and holder = ${holder}`).catch(() => undefined);
    },
  };
}
