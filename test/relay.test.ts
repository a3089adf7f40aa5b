/** Tests of the relay on a separate NATS server: lost streams, failover, late commits, and retention of events. */
import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Envelope } from "@freehold/contract/events";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { migrate, openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { envelopeOf, insertIntoOutbox } from "@freehold/kit/db/outbox";
import { connectBus, ensureStream, type EventBus } from "@freehold/kit/events/nats";
import { selectUnpublished, type Progress } from "@freehold/kit/events/outbox-reader";
import { startRelay, type Relay } from "@freehold/kit/events/relay";
import { createLogger } from "@freehold/kit/observability/log";
import pg from "pg";
import type { SupervisedProcess } from "../deploy/system/supervise.ts";
import { tokenChanges } from "../gateway/src/auth/token-changes.ts";
import { startHub } from "../gateway/src/events/hub.ts";
import { restartNats, startOpenNats } from "./support/events/bus.ts";
import { startEffectsConsumer } from "./support/events/effects-consumer.ts";
import { keysOf } from "./support/events/messages.ts";
import { withTransactions } from "./support/events/open-transactions.ts";
import { running } from "./support/running.ts";
import { eventually } from "./support/eventually.ts";
import { createWitnessDatabase, WITNESS_ROLE, witnessDatabase } from "./systems/events/witness-database.ts";

const dir = mkdtempSync(join(tmpdir(), "freehold-relay-"));
const keys = keysOf("portfolio", running().dataDir);
let nats: SupervisedProcess;
let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: pg.Client;
let ownerUrl: string;
let serviceUrl: string;
let db: OrgDb;
const relays: Relay[] = [];
/** Connection of the relay, and a second one with which the test inspects and deletes the stream. */
let bus: EventBus, testBus: EventBus;

beforeAll(async () => {
  // A server that lets the test delete the stream.
  const { options, server } = await startOpenNats(dir, "--jetstream", "--store_dir", dir);
  nats = server;
  [bus, testBus] = [await connectBus(options), await connectBus(options)];
  const urls = await createWitnessDatabase(running());
  database = await openDatabase(witnessDatabase, urls.service, 4);
  db = new OrgDb(database, systemPrincipal(newId()));
  ownerUrl = urls.owner;
  serviceUrl = urls.service;
  owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
});
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.stop();
});
afterAll(async () => {
  await Promise.all([bus?.connection.close(), testBus?.connection.close(), database?.close(), owner?.end()]);
  await nats?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Number of lease checks of all relays. Each check first reads `manager.streams`, whose getter counts it. */
let leaseChecks = 0;

/** Starts a relay that calls `beforePublication` before each publication. */
function aRelay(beforePublication: () => Promise<void> = async () => undefined): Relay {
  const js = Object.create(bus.js) as EventBus["js"];
  js.publish = async (...message) => {
    await beforePublication();
    return bus.js.publish(...message);
  };
  const { streams } = bus.manager;
  const manager = Object.create(bus.manager, { streams: { get: () => (leaseChecks++, streams) } }) as EventBus["manager"];
  const relay = startRelay({ pool: database.pool, bus: { ...bus, js, manager }, keys, log: createLogger("test", "silent") });
  relays.push(relay);
  return relay;
}

const newEvents = (count: number, entityId = newId()): Envelope[] =>
  Array.from({ length: count }, () => envelopeOf(db, "unit.deleted", { entityId, data: { propertyId: newId() } }));
const insert = (events: readonly Envelope[]) => db.all(insertIntoOutbox(db, events));
const idsOf = (events: readonly Envelope[]) => events.map(({ id }) => id);

/** Returns the ids of the stream's events in stream order; none if the stream is deleted meanwhile. */
async function listStreamedIds(): Promise<string[]> {
  const { name, state } = await ensureStream(testBus);
  const sequences = Array.from({ length: state.last_seq }, (_, index) => index + 1);
  const messages = await Promise.all(sequences.map((seq) => testBus.manager.streams.getMessage(name, { seq }))).catch(() => []);
  return messages.flatMap((message) => idsOf(message!.json<Envelope[]>()));
}
const waitUntilStreamed = (events: readonly Envelope[]) =>
  eventually("events on the stream", async () => {
    const streamed = new Set(await listStreamedIds());
    return events.every(({ id }) => streamed.has(id));
  });

test("a new stream starts with the events of the lost one, even if it is replaced while the relay publishes a later event", async () => {
  const events = newEvents(3);
  await insert(events.slice(0, 2));
  let beforePublication: () => Promise<void> = async () => undefined;
  const relay = aRelay(() => beforePublication());
  await waitUntilStreamed(events.slice(0, 2));

  const lost = await ensureStream(testBus);
  beforePublication = async () => {
    beforePublication = async () => undefined;
    await testBus.manager.streams.delete(lost.name);
    await ensureStream(testBus);
  };
  await insert(events.slice(2));
  relay.wake();
  await eventually("refilled stream", async () => (await ensureStream(testBus)).epoch !== lost.epoch && (await listStreamedIds()).length === 3);
  expect(await listStreamedIds()).toEqual(idsOf(events));
});

test("a relay that takes over publishes nothing twice, also when its predecessor died before it stored its progress", async () => {
  aRelay();
  await waitUntilStreamed([]);
  const { rows } = await owner.query<Record<"published_position" | "stream_sequence" | "snapshot", string>>("select * from relay_state");
  const before = rows[0]!;
  const events = newEvents(3);
  for (const event of events) await insert([event]);
  await waitUntilStreamed(events);
  await relays.pop()!.stop();
  await owner.query("update relay_state set published_position = $1, stream_sequence = $2, snapshot = $3", [
    before.published_position,
    before.stream_sequence,
    before.snapshot,
  ]);
  let publications = 0;
  aRelay(async () => void publications++);
  const later = newEvents(1);
  await insert(later);
  await waitUntilStreamed(later);
  expect(publications).toBe(1);
  expect((await listStreamedIds()).slice(-4)).toEqual(idsOf([...events, ...later]));
});

test("after the restore of a dump in another cluster, whose transaction ids begin again, each event is published once", async () => {
  const ids = (ahead: number) => `(pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ${ahead})`;
  const [published, unpublished] = [newEvents(2), newEvents(1)];
  aRelay();
  await insert(published);
  await waitUntilStreamed(published);
  await eventually("stored progress", async () => (await owner.query("select from unpublished_event")).rowCount === 0);
  await relays.pop()!.stop();
  await insert(unpublished);
  await owner.query(`update outbox set transaction_id = ${ids(1_000_000)}::text::xid8`);
  await owner.query(`update relay_state set cluster_id = 1, snapshot = format('%s:%s:', ${ids(2_000_000)}, ${ids(2_000_000)})::pg_snapshot`);
  await migrate(witnessDatabase, ownerUrl, WITNESS_ROLE);

  let publications = 0;
  aRelay(async () => void publications++);
  await waitUntilStreamed(unpublished);
  for (const later of [newEvents(1), newEvents(1), newEvents(1)]) {
    await insert(later);
    await waitUntilStreamed(later);
    await eventually("stored progress", async () => (await owner.query("select from unpublished_event")).rowCount === 0);
  }
  expect(publications).toBe(4);
});

const readLease = async () =>
  (await owner.query<{ holder: string; until: string; xmin: string }>("select holder, until::text, xmin::text from relay_state")).rows[0]!;

test("a relay that is alone writes nothing while it publishes nothing", async () => {
  const events = newEvents(1);
  await insert(events);
  aRelay();
  await waitUntilStreamed(events);
  await eventually("published event", async () => (await owner.query("select from unpublished_event")).rowCount === 0);
  const before = await readLease();
  const checksBefore = leaseChecks;
  await eventually("several lease checks", () => leaseChecks > checksBefore + 8);
  expect(await readLease()).toEqual(before);
});

test("a relay answers the challenges of another one and keeps its lease", async () => {
  aRelay();
  await eventually("lease", async () => (await readLease()).until === "infinity");
  const { holder } = await readLease();
  aRelay();
  for (let count = 0; count < 2; count++) {
    await eventually("challenge", async () => (await readLease()).until !== "infinity");
    await eventually("answer", async () => (await readLease()).until === "infinity");
  }
  expect((await readLease()).holder).toBe(holder);
});

test("a relay takes over from one that has died without releasing its lease", async () => {
  await owner.query("update relay_state set holder = gen_random_uuid(), until = 'infinity'");
  aRelay();
  const events = newEvents(1);
  await insert(events);
  await waitUntilStreamed(events);
});

test("an event is published although its transaction commits after later events were published", async () => {
  const relay = aRelay();
  const [late, sooner, last] = [newEvents(2), newEvents(1), newEvents(1)];
  await withTransactions({ database, db }, async (transaction) => {
    await transaction.insert(late);
    for (const events of [sooner, last]) {
      await insert(events);
      relay.wake();
      await waitUntilStreamed(events);
    }
    await transaction.commit();
  });
  await waitUntilStreamed(late);
  expect((await listStreamedIds()).slice(-4)).toEqual(idsOf([...sooner, ...last, ...late]));
});

test("an event is published although an older transaction, which inserted its event later, commits first", async () => {
  const relay = aRelay();
  const [late, sooner] = [newEvents(1), newEvents(1)];
  await withTransactions({ database, db }, async (older, newer) => {
    await older.begin();
    await newer.insert(late);
    await older.insert(sooner);
    await older.commit();
    relay.wake();
    await waitUntilStreamed(sooner);
    await newer.commit();
  });
  await waitUntilStreamed(late);
  expect((await listStreamedIds()).slice(-2)).toEqual(idsOf([...sooner, ...late]));
});

test("a relay reads few rows of the outbox, however many published events it keeps", async () => {
  const PUBLISHED_COUNT = 5_000;
  const MAX_ROWS_READ = 10;
  const { pool, close } = await openDatabase(witnessDatabase, serviceUrl, 1);
  try {
    await pool.query("begin");
    await pool.query(
      "insert into outbox (transaction_id, event_id, organization_id, envelope) select '1', gen_random_uuid(), gen_random_uuid(), '{}' from generate_series(1, $1::int)",
      [PUBLISHED_COUNT],
    );
    const { rows } = await pool.query<Progress>(
      `select max(position)::int as "publishedPosition", pg_current_snapshot()::text as snapshot, (select era_position from relay_state)::int as "eraPosition" from outbox`,
    );
    const countReadRows = async () =>
      Number((await pool.query("select sum(idx_tup_fetch + seq_tup_read) as count from pg_stat_xact_user_tables where relname like 'outbox_%'")).rows[0].count);
    const before = await countReadRows();
    expect((await selectUnpublished(pool, rows[0]!)).events).toEqual([]);
    expect((await countReadRows()) - before).toBeLessThan(MAX_ROWS_READ);
  } finally {
    await pool.query("rollback");
    await close();
  }
});

test("events of one transaction that have the same subscribers are published in one message", async () => {
  const { state: before } = await ensureStream(testBus);
  aRelay();
  const events = [...newEvents(3), ...newEvents(2), envelopeOf(db, "tenant.deleted", { entityId: newId(), data: {} })];
  await insert(events);
  await waitUntilStreamed(events);
  const { state: after } = await ensureStream(testBus);
  expect(after.last_seq - before.last_seq).toBe(2);
  expect((await listStreamedIds()).slice(-6)).toEqual(idsOf(events));
});

test("the outbox keeps 72 hours of events and every unpublished event, and the inbox keeps one slot more", async () => {
  aRelay();
  await owner.query("truncate outbox");
  const { rows } = await owner.query<{ seconds: number }>("select event_slot_seconds() as seconds");
  const SLOT_MS = rows[0]!.seconds * 1_000;
  const start = Date.now() - 100 * SLOT_MS;
  const count = async (table: string) => Number((await owner.query<{ count: string }>(`select count(*) from ${table}`)).rows[0]!.count);
  /** Inserts an event with the given creation time into the outbox, and an entry of the same time into the inbox. */
  const insertCreatedAt = async (at: Date) => {
    const [event] = newEvents(1) as [Envelope];
    await owner.query("insert into outbox (event_id, organization_id, envelope, created_at, slot) values ($1, $2, $3, $4, event_slot($4))", [
      event.id,
      event.organizationId,
      JSON.stringify(event),
      at,
    ]);
    await owner.query("insert into inbox (consumer, event_id, slot) values ('test', uuidv7($1::timestamptz - now()), event_slot($1))", [at]);
    return event;
  };
  for (let slot = 0; slot < 24; slot++) {
    await waitUntilStreamed([await insertCreatedAt(new Date(start + slot * SLOT_MS))]);
    await eventually("stored progress", async () => (await count("unpublished_event")) === 0);
    await owner.query("select empty_event_slot($1)", [new Date(start + slot * SLOT_MS)]);
    expect([await count("outbox"), await count("inbox")]).toEqual([Math.min(slot + 1, 6), Math.min(slot + 1, 7)]);
  }

  await relays.pop()!.stop();
  await insertCreatedAt(new Date(start + 24 * SLOT_MS));
  for (let slot = 25; slot < 40; slot++) await owner.query("select empty_event_slot($1)", [new Date(start + slot * SLOT_MS)]);
  expect(await count("unpublished_event")).toBe(1);
});

const waitForEffects = (events: readonly Envelope[]) =>
  eventually("effects", async () => (await owner.query("select from effect where event_id = any($1)", [idsOf(events)])).rowCount! >= events.length);

test("a stream that returns without its last messages gets them again: consumers apply each once, and event streams start again", async () => {
  const [kept, consumed, unconsumed, later] = [newEvents(2), newEvents(2), newEvents(1), newEvents(1)];
  const ids = idsOf([...kept, ...consumed, ...unconsumed, ...later]);
  const [store, copy, delivered, resets]: [string, string, string[], number[]] = [join(dir, "jetstream"), join(dir, "copy"), [], []];
  const waitForDeliveries = (count: number) => eventually("deliveries", () => Promise.resolve(delivered.length === count));
  aRelay();
  const aConsumer = () => startEffectsConsumer({ database, bus });
  const consumers = [aConsumer()];
  const hub = startHub({ bus, keys: keysOf("gateway", running().dataDir), tokenChanges: tokenChanges(), log: createLogger("test", "silent") });
  await hub.reading;
  const receive = ({ event: { id } }: { event: Envelope }) => void (ids.includes(id) && delivered.push(id));
  hub.add({ organizationId: db.organizationId, receive, reset: () => resets.push(delivered.length) });
  try {
    await insert(kept);
    await waitForEffects(kept);
    await restartNats(nats, [bus, testBus], () => cpSync(store, copy, { recursive: true }));
    await insert(consumed);
    await waitForEffects(consumed);
    await waitForDeliveries(4);
    await consumers[0]!.stop();
    await insert(unconsumed);
    await waitForDeliveries(5);
    const lostPosition = hub.position;
    await restartNats(nats, [bus, testBus], () => {
      rmSync(store, { recursive: true });
      renameSync(copy, store);
    });
    await insert(later);
    await waitUntilStreamed(later);
    consumers.push(aConsumer());
    await waitForEffects([...unconsumed, ...later]);
    await waitForDeliveries(9);
    expect((await listStreamedIds()).filter((id) => ids.includes(id))).toEqual(ids);
    expect((await owner.query("select from effect where event_id = any($1)", [ids])).rowCount).toBe(ids.length);
    expect([resets, delivered.slice(5), hub.isReused(lostPosition)]).toEqual([[5], ids.slice(2), true]);
  } finally {
    hub.stop();
    for (const consumer of consumers) await consumer.stop();
  }
});
