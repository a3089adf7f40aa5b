/** Consumers that were away for longer than the stream keeps its messages, or that cannot read it, on a separate NATS server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { startConsumer, type Consumer } from "@freehold/kit/events/consumer";
import { connectBus, ensureStream, PARTITIONS, type EventBus } from "@freehold/kit/events/nats";
import { createLogger } from "@freehold/kit/observability/log";
import type { SupervisedProcess } from "../deploy/system/supervise.ts";
import { database as communications } from "../services/communications/src/database.ts";
import { tokenChanges } from "../gateway/src/auth/token-changes.ts";
import { startHub } from "../gateway/src/events/hub.ts";
import { startOpenNats } from "./support/events/bus.ts";
import { keysOf, messageOf } from "./support/events/messages.ts";
import { eventually } from "./support/eventually.ts";
import { running } from "./support/running.ts";

const dir = mkdtempSync(join(tmpdir(), "freehold-missed-"));
const { dataDir, databaseUrls } = running();
const database = await openDatabase(communications, databaseUrls.communications.service, 4);
const organizationId = newId();
let server: SupervisedProcess;
let bus: EventBus;

beforeAll(async () => {
  const nats = await startOpenNats(dir, "-js", "-sd", dir);
  ({ server } = nats);
  bus = await connectBus(nats.options);
  await ensureStream(bus);
});
afterAll(async () => {
  await bus?.connection.close();
  await database.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function publish(): Promise<string> {
  const event = { id: newId(), entityId: newId(), type: "unit.deleted", organizationId, data: {} };
  const { subject, payload, headers } = messageOf(event, dataDir);
  await bus.js.publish(subject, payload, { msgID: event.id, headers });
  return event.id;
}

/** Deletes all messages of the stream, as when they have become too old. */
const deleteMessages = async () => void (await bus.manager.streams.purge((await ensureStream(bus)).name));

const consumed: string[] = [];
const start = (name: string, onBus = bus) =>
  startConsumer({
    name,
    database,
    bus: onBus,
    keys: keysOf("communications", dataDir),
    subscriptions: { "unit.deleted": (_, { id }) => Promise.resolve(void consumed.push(id)) },
    log: createLogger("test", "silent"),
  });
/** Runs a consumer until it has consumed an event, and longer if there is work for the time after it. */
async function runUntilConsumed(name: string, id: string, work: (consumer: Consumer) => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  const consumer = start(name);
  try {
    await eventually("consumed event", () => Promise.resolve(consumed.includes(id)));
    await work(consumer);
  } finally {
    await consumer.stop();
  }
}

const deadLettersOf = async (name: string) =>
  (await database.pool.query<{ envelope: object }>("select envelope from parked_event where consumer = $1 and dead_at is not null", [name])).rows;

test("a consumer that returns after messages were deleted reports them as missed until an operator drops the dead letters, and consumes the rest", async () => {
  const name = `consumer-${newId()}`;
  await runUntilConsumed(name, await publish());
  const missed = await publish();
  await deleteMessages();
  await runUntilConsumed(name, await publish(), async (consumer) => {
    await eventually("report", () => Promise.resolve(consumer.stalledSeconds > 0));
    expect(await deadLettersOf(name)).toContainEqual({ envelope: expect.objectContaining({ type: "missed" }) as unknown });
    await database.pool.query("delete from parked_event where consumer = $1", [name]);
    await eventually("end of the report", () => Promise.resolve(consumer.stalledSeconds === 0));
  });
  expect(consumed).not.toContain(missed);
});

test("a consumer that had consumed everything before messages were deleted reports nothing", async () => {
  const name = `consumer-${newId()}`;
  // At its end, a consumer saves up to where it has read the partitions without messages.
  await eventually("saved ends of all partitions", async () => {
    await runUntilConsumed(name, await publish(), () => sleep(1_500));
    const { rows } = await database.pool.query("select from consumer_share where consumer = $1 and (stream_sequence is not null or sequence > 0)", [name]);
    return rows.length === PARTITIONS;
  });
  await deleteMessages();
  await runUntilConsumed(name, await publish(), async (consumer) => {
    expect([consumer.stalledSeconds, await deadLettersOf(name)]).toEqual([0, []]);
  });
});

test("a consumer whose partitions cannot be read counts as stalled, and no more once they are read", async () => {
  let isRefusing = true;
  const { consumers } = bus.js;
  const get = (...args: Parameters<typeof consumers.get>) => (isRefusing ? Promise.reject(new Error("The consumer is refused.")) : consumers.get(...args));
  const js = Object.create(bus.js, { consumers: { value: Object.create(consumers, { get: { value: get } }) } }) as EventBus["js"];
  const consumer = start(`consumer-${newId()}`, { ...bus, js });
  try {
    await eventually("stall", () => Promise.resolve(consumer.stalledSeconds > 0));
    isRefusing = false;
    await eventually("end of the stall", () => Promise.resolve(consumer.stalledSeconds === 0));
  } finally {
    await consumer.stop();
  }
});

test("an event that is published again is streamed once", async () => {
  const hub = startHub({ bus, keys: keysOf("gateway", dataDir), tokenChanges: tokenChanges(), log: createLogger("test", "silent") });
  await hub.reading;
  const streamed: string[] = [];
  hub.add({ organizationId, receive: ({ event }) => void streamed.push(event.id), reset: () => undefined });
  try {
    const event = { id: newId(), entityId: newId(), type: "unit.deleted", organizationId, data: {} };
    const { subject, payload, headers } = messageOf(event, dataDir);
    for (const msgID of [event.id, newId()]) await bus.js.publish(subject, payload, { msgID, headers });
    const next = await publish();
    await eventually("next event", () => Promise.resolve(streamed.includes(next)));
    expect(streamed).toEqual([event.id, next]);
  } finally {
    hub.stop();
  }
});
