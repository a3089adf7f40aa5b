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
    if (held.length === 0) knownEpoch = undefined;
    else renewAt = performance.now() + RENEW_MS;
    return held.length > 0;
  }

  /** A stream that is not the one we filled has lost what we published: everything still kept is published again. */
  async function refillNewStream(epoch: string): Promise<void> {
    await marking;
    unmarked.clear();
    const changed = await all(
      sql`update relay_lease set stream_epoch = ${epoch} where name = 'outbox' and stream_epoch is distinct from ${epoch} returning name`,
    );
    if (changed.length > 0)
      await all(sql`update outbox set published_at = null where published_at is not null and created_at > now() - make_interval(hours => ${HOURS_KEPT})`);
    knownEpoch = epoch;
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
        published.push(event.position);
      }
      return { published };
    } catch (error) {
      return { published, error };
    }
  }

  const waiting = () =>
    all(sql<Row>`select position, event_id, organization_id, envelope ->> 'entityId' as entity_id, envelope ->> 'type' as type,
      envelope::text as envelope, trace_parent from outbox where published_at is null and position <> all(${[...unmarked]}::bigint[]) order by position limit ${BATCH}`);

  async function publishBatch(): Promise<number> {
    const [stream, rows] = await Promise.all([ensureStream(bus), waiting()]);
    if (epochOf(stream) !== knownEpoch) {
      await refillNewStream(epochOf(stream));
      return BATCH;
    }
    const chains = await Promise.all([...Map.groupBy(rows, ({ entityId }) => entityId).values()].map(publishInOrder));
    for (const position of chains.flatMap(({ published }) => published)) unmarked.add(position);
    startMarking();
    const failed = chains.find(({ error }) => error !== undefined);
    if (failed) throw failed.error;
    return rows.length;
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
    backlog: async () => (await all(sql<{ count: number }>`select count(*) as count from outbox where published_at is null`))[0]!.count,
    stop: async () => {
      stopping = true;
      wake();
      await running;
      await marking;
      await all(sql`delete from relay_lease where name = 'outbox' and holder = ${holder}`).catch(() => undefined);
    },
  };
}
