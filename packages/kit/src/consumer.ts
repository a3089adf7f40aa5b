/**
 * Consumes other services' events: each effect once, in order for each entity, whatever replica does it and whoever
 * dies meanwhile. The effect and the mark in the inbox commit together; how far a partition has been read is kept beside
 * them, so nothing depends on what NATS remembers of us. An event that fails is parked.
 */
import type { JsMsg } from "@nats-io/jetstream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Envelope, EventData, EventType } from "@freehold/contract/events";
import { OrgDb, transaction, type Database, type OrgTx } from "./db.ts";
import type { Logger } from "./log.ts";
import { ensureStream, epochOf, type Bus } from "./nats.ts";
import { parking } from "./parking.ts";
import { readPartition, type Reading } from "./partition.ts";
import { systemScope } from "./scope.ts";
import { shares as sharesOf } from "./shares.ts";
import { sql } from "./statement.ts";
import { TRACE_HEADER, traced } from "./tracing.ts";

const HOLD_MS = 1_000;
/** What is left to the database and the other services when one of them is away. */
const PAUSE_MS = 500;

export type EventOf<T extends EventType> = Omit<Envelope, "data" | "type"> & { type: T; data: EventData<T> };
/** Runs the effect in one transaction with the inbox mark; a repeated event has no second effect. */
export type Once = (effect: (tx: OrgTx) => Promise<void>) => Promise<void>;
/** What a service does about an event. It may ask other services first; what it changes it changes inside `once`. */
export type Subscriptions = { [T in EventType]?: (db: OrgDb, event: EventOf<T>, once: Once) => Promise<void> };

type Handler = (db: OrgDb, event: Envelope, once: Once) => Promise<void>;

/** Handlers that see to it themselves that an event has its effect once, whatever comes before it. */
const free = new WeakSet<Handler>();

/**
 * A handler of very many events, which may come in any order and twice: none waits for another, nor is looked up before.
 * What comes while the last lot of an organization is under way gathers for the next. A lot that fails is done again one
 * by one, so that nothing is held back by what stands beside it.
 */
export function inLots(work: (db: OrgDb, lot: readonly Envelope[]) => Promise<void>): Handler {
  const gathering = new Map<string, { lot: Envelope[]; done: Promise<void> }>();
  const last = new Map<string, Promise<void>>();
  function gather(db: OrgDb): { lot: Envelope[]; done: Promise<void> } {
    const { organizationId } = db;
    const lot: Envelope[] = [];
    const done = (last.get(organizationId) ?? Promise.resolve()).then(() => {
      gathering.delete(organizationId);
      return work(db, lot);
    });
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (last.get(organizationId) === settled) last.delete(organizationId);
      });
    last.set(organizationId, settled);
    gathering.set(organizationId, { lot, done });
    return { lot, done };
  }
  const handler: Handler = async (db, event) => {
    const { lot, done } = gathering.get(db.organizationId) ?? gather(db);
    lot.push(event);
    await done.catch((error: unknown) => {
      if (lot.length === 1) throw error;
      return work(db, [event]);
    });
  };
  free.add(handler);
  return handler;
}

export interface Consumer {
  /** Events of this replica's partitions that have still to be consumed. */
  readonly lag: number;
  stop(): Promise<void>;
}

export function startConsumer(name: string, database: Database, bus: Bus, subscriptions: Subscriptions, log: Logger): Consumer {
  const handlers = subscriptions as Record<string, Handler | undefined>;
  const shares = sharesOf(database.pool, name);
  const parked = parking(database, name, log);
  const held = new Map<number, Reading>();
  let stopping = false;
  const ending = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: ending.signal }).catch(() => undefined);

  async function apply(event: Envelope, { position, parent }: { position?: number; parent?: string | undefined } = {}): Promise<void> {
    const db = new OrgDb(database, systemScope(event.organizationId), { requestId: event.requestId });
    const unpark = sql`delete from parked_event where position = ${position}`;
    const once: Once = (effect) =>
      transaction(db, async (tx) => {
        if (position !== undefined) await tx.all(unpark);
        const isNew = await tx.all(sql`insert into inbox (consumer, event_id) values (${name}, ${event.id}) on conflict do nothing returning event_id`);
        if (isNew.length > 0) await effect(tx);
      });
    const step = { name: `consume ${event.type}`, kind: "consumer", parent } as const;
    await traced(step, () => handlers[event.type]!(db, event, once));
    if (position !== undefined) await db.all(unpark);
  }

  async function consume(event: Envelope, message: JsMsg): Promise<void> {
    const { isDone, isBlocked } = free.has(handlers[event.type]!) ? { isDone: false, isBlocked: false } : await parked.stateOf(event);
    if (isDone) return;
    if (isBlocked) await parked.park(event, new Error("an earlier event of the same entity is parked"));
    else await apply(event, { parent: message.headers?.get(TRACE_HEADER) }).catch((error: unknown) => parked.park(event, error));
  }

  /** What cannot even be parked is tried until it can, unless this replica ends: then its successor does. */
  async function persist(event: Envelope, message: JsMsg): Promise<boolean> {
    for (let failures = 0; !stopping; failures++) {
      try {
        await consume(event, message);
        return true;
      } catch (error) {
        if (failures % 20 === 0) log.warn({ err: error }, "an event has to wait");
        await pause(PAUSE_MS);
      }
    }
    return false;
  }

  /** Reads what is ours from where it was left, and stops reading what is not. */
  async function settle(): Promise<void> {
    const epoch = epochOf(await ensureStream(bus));
    const ours = await shares.hold();
    const surplus = ours.slice(await shares.fair()).map(({ partition }) => partition);
    for (const [partition, reading] of held) {
      const isOurs = ours.some((share) => share.partition === partition) && !surplus.includes(partition);
      if (isOurs && reading.epoch === epoch && reading.isAlive) continue;
      await reading.stop();
      held.delete(partition);
    }
    if (surplus.length > 0) await shares.giveUp(surplus);
    for (const share of ours) {
      if (held.has(share.partition) || surplus.includes(share.partition)) continue;
      held.set(share.partition, await readPartition({ bus, share, epoch, types: Object.keys(handlers), persist, save: shares.saveProgress, log }));
    }
  }

  const keepDoing = async (work: () => Promise<void>, everyMs: number) => {
    while (!stopping) {
      await work().catch((error: unknown) => {
        if (!stopping) log.warn({ err: error }, "consuming pauses");
      });
      await pause(everyMs);
    }
  };
  const settling = keepDoing(settle, HOLD_MS);
  const retrying = keepDoing(async () => {
    while (!stopping && (await parked.retry((event, position) => apply(event, { position })))) continue;
  }, HOLD_MS);
  return {
    get lag() {
      return [...held.values()].reduce((sum, reading) => sum + reading.lag, 0);
    },
    stop: async () => {
      stopping = true;
      ending.abort();
      const end = async () => {
        await settling;
        await Promise.all([...held.values()].map((reading) => reading.stop()));
        await retrying;
        await shares.leave();
      };
      await Promise.race([end().catch(() => undefined), sleep(5_000, undefined, { ref: false })]);
    },
  };
}
