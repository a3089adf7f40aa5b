/**
 * Consumes other services' events: each effect once, in order for each entity.
 *
 * The effect and the mark in the inbox commit together. An event that fails is parked in the database and tried again
 * after 1 s, 5 s, 30 s, 2 min and 10 min; later events of the same entity queue up behind it. What still fails stays
 * as a dead letter until somebody retries or drops it.
 */
import { AckPolicy, DeliverPolicy, type ConsumerMessages, type JsMsg } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { setTimeout as sleep } from "node:timers/promises";
import type { Envelope, EventData, EventType } from "@freehold/contract/events";
import { OrgDb, transaction, type Database, type OrgTx } from "./db.ts";
import type { Logger } from "./log.ts";
import { ensureStream, epochOf, STREAM, type Bus } from "./nats.ts";
import { systemScope } from "./scope.ts";
import { sql } from "./statement.ts";

const BACKOFF_SECONDS = [1, 5, 30, 120, 600];
const AT_ONCE = 64;

export type EventOf<T extends EventType> = Omit<Envelope, "data" | "type"> & { type: T; data: EventData<T> };
/** Runs the effect in one transaction with the inbox mark; a repeated event has no second effect. */
export type Once = (effect: (tx: OrgTx) => Promise<void>) => Promise<void>;
/** What a service does about an event. It may ask other services first; what it changes it changes inside `once`. */
export type Subscriptions = { [T in EventType]?: (db: OrgDb, event: EventOf<T>, once: Once) => Promise<void> };

type Handler = (db: OrgDb, event: Envelope, once: Once) => Promise<void>;

export interface Consumer {
  stop(): Promise<void>;
}

export function startConsumer(name: string, database: Database, bus: Bus, subscriptions: Subscriptions, log: Logger): Consumer {
  const handlers = subscriptions as Record<string, Handler | undefined>;
  const inOrder = new Map<string, Promise<void>>();
  let stopping = false;
  let messages: ConsumerMessages | undefined;

  const dbFor = (event: Envelope) => new OrgDb(database, systemScope(event.organizationId), { requestId: event.requestId });

  async function apply(event: Envelope, unpark?: number): Promise<void> {
    const db = dbFor(event);
    const once: Once = (effect) =>
      transaction(db, async (tx) => {
        if (unpark !== undefined) await tx.all(sql`delete from parked_event where position = ${unpark}`);
        const isNew = await tx.all(sql`insert into inbox (consumer, event_id) values (${name}, ${event.id}) on conflict do nothing returning event_id`);
        if (isNew.length > 0) await effect(tx);
      });
    await handlers[event.type]!(db, event, once);
    if (unpark !== undefined) await db.all(sql`delete from parked_event where position = ${unpark}`);
  }

  async function park(event: Envelope, error: unknown): Promise<void> {
    log.warn({ err: error, event: event.type, eventId: event.id }, "an event is parked");
    await dbFor(event).all(sql`insert into parked_event (consumer, event_id, organization_id, entity_id, envelope, next_attempt_at, error)
      values (${name}, ${event.id}, ${event.organizationId}, ${event.entityId}, ${JSON.stringify(event)}, now() + make_interval(secs => ${BACKOFF_SECONDS[0]}), ${String(error)})
      on conflict (consumer, event_id) do nothing`);
  }

  async function consume(message: JsMsg): Promise<void> {
    const event = message.json<Envelope>();
    if (handlers[event.type]) {
      const waiting = await dbFor(event).first(sql`select 1 as one from parked_event where consumer = ${name} and entity_id = ${event.entityId} limit 1`);
      if (waiting) await park(event, new Error("an earlier event of the same entity is parked"));
      else await apply(event).catch((error: unknown) => park(event, error));
    }
    message.ack();
  }

  /** Events of one entity one after the other, different entities side by side. */
  function enqueue(message: JsMsg): Promise<void> {
    const entity = message.json<Envelope>().entityId;
    const next = (inOrder.get(entity) ?? Promise.resolve())
      .then(() => consume(message))
      .catch((error: unknown) => {
        log.warn({ err: error }, "an event could not be consumed and will be delivered again");
        message.nak(1_000);
      });
    inOrder.set(entity, next);
    return next.finally(() => {
      if (inOrder.get(entity) === next) inOrder.delete(entity);
    });
  }

  async function retryParked(): Promise<void> {
    const client = new OrgDb(database, systemScope("00000000-0000-0000-0000-000000000000"));
    const due = await client.all(sql<{ position: number; attempts: number; envelope: Envelope }>`
      select distinct on (entity_id) position, attempts, envelope from parked_event where consumer = ${name} and dead_at is null and next_attempt_at <= now()
        and not exists (select 1 from parked_event earlier where earlier.consumer = parked_event.consumer and earlier.entity_id = parked_event.entity_id and earlier.position < parked_event.position)
      order by entity_id, position limit 100`);
    for (const { position, attempts, envelope } of due) {
      await apply(envelope, position).catch(async (error: unknown) => {
        const wait = BACKOFF_SECONDS[attempts + 1];
        if (wait === undefined) log.error({ err: error, event: envelope.type, eventId: envelope.id }, "an event is a dead letter");
        await client.all(sql`update parked_event set attempts = attempts + 1, error = ${String(error)}, dead_at = ${wait === undefined ? new Date() : null},
          next_attempt_at = now() + make_interval(secs => ${wait ?? 0}) where position = ${position}`);
      });
    }
  }

  async function follow(): Promise<void> {
    const config = {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      filter_subject: "events.>",
      ack_wait: nanos(30_000),
      max_ack_pending: 1_000,
    };
    let epoch = epochOf(await ensureStream(bus));
    await bus.manager.consumers.add(STREAM, config);
    messages = await (await bus.js.consumers.get(STREAM, name)).consume({ max_messages: AT_ONCE });
    const watch = setInterval(() => {
      // A wiped store loses the durable consumer as well: start over with the new stream.
      ensureStream(bus)
        .then((info) => {
          if (epochOf(info) !== epoch) {
            epoch = epochOf(info);
            messages?.stop();
          }
        })
        .catch(() => undefined);
    }, 1_000);
    watch.unref();
    const running = new Set<Promise<void>>();
    try {
      for await (const message of messages) {
        const one = enqueue(message);
        running.add(one);
        void one.finally(() => running.delete(one));
        if (running.size >= AT_ONCE) await Promise.race(running);
      }
    } finally {
      clearInterval(watch);
      await Promise.all(running);
    }
  }

  const keepDoing = async (work: () => Promise<void>, pauseMs: number) => {
    while (!stopping) {
      await work().catch((error: unknown) => {
        if (!stopping) log.warn({ err: error }, "consuming pauses");
      });
      if (!stopping) await sleep(pauseMs, undefined, { ref: false });
    }
  };
  const following = keepDoing(follow, 250);
  const retrying = keepDoing(retryParked, 1_000);
  return {
    stop: async () => {
      stopping = true;
      messages?.stop();
      await Promise.race([Promise.all([following, retrying]), sleep(5_000, undefined, { ref: false })]);
    },
  };
}
