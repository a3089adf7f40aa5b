/** The relay when NATS loses the event stream. With a NATS server and a database of its own. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope } from "@freehold/contract/events";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { envelopeOf, insertIntoOutbox } from "@freehold/kit/db/outbox";
import { connectBus, ensureStream, type EventBus } from "@freehold/kit/events/nats";
import { startRelay, type Relay } from "@freehold/kit/events/relay";
import { createLogger } from "@freehold/kit/observability/log";
import { prepareNats } from "../deploy/system/nats.ts";
import { freePorts } from "../deploy/system/ports.ts";
import { supervise, type SupervisedProcess } from "../deploy/system/supervise.ts";
import { running } from "./support/running.ts";
import { eventually } from "./support/world.ts";
import { createWitnessDatabase, witnessDatabase } from "./systems/events/witness-database.ts";

const dir = mkdtempSync(join(tmpdir(), "freehold-relay-"));
let nats: SupervisedProcess;
let database: Awaited<ReturnType<typeof openDatabase>>;
let relay: Relay | undefined;
/** Bus of the relay, and that of another service. */
let bus: EventBus, otherBus: EventBus;

beforeAll(async () => {
  const { url, children, ready } = prepareNats({ dir, ports: await freePorts(2), say: () => undefined });
  nats = supervise(children[0]!, join(dir, "nats.log"), () => undefined);
  await ready();
  [bus, otherBus] = [await connectBus(url, "relay-test"), await connectBus(url, "relay-test-other")];
  database = await openDatabase(witnessDatabase, (await createWitnessDatabase(running())).service, 4);
});
afterAll(async () => {
  await relay?.stop();
  await Promise.all([bus?.connection.close(), otherBus?.connection.close(), database?.close()]);
  await nats?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Returns the ids of the events of the stream, in its order. */
async function listStreamedIds(): Promise<string[]> {
  const { name, state } = await ensureStream(otherBus);
  const sequences = Array.from({ length: state.last_seq }, (_, index) => index + 1);
  const messages = await Promise.all(sequences.map((seq) => otherBus.manager.streams.getMessage(name, { seq })));
  return messages.map((message) => message!.json<Envelope>().id);
}

test("a stream that replaces a lost one starts with its events, also when the relay was publishing a later one", async () => {
  const db = new OrgDb(database, systemPrincipal(newId()));
  const entityId = newId();
  const envelopes = Array.from({ length: 3 }, () => envelopeOf(db, "unit.deleted", { entityId, data: { propertyId: newId() } }));
  const ids = envelopes.map(({ id }) => id);
  await db.all(insertIntoOutbox(db, envelopes.slice(0, 2)));

  let beforePublication: () => Promise<void> = async () => undefined;
  const js = Object.create(bus.js) as EventBus["js"];
  js.publish = async (...message) => {
    await beforePublication();
    return bus.js.publish(...message);
  };
  relay = startRelay(database.pool, { ...bus, js }, createLogger("test", "silent"));
  await eventually("first events", async () => (await listStreamedIds()).length === 2);

  const lost = await ensureStream(otherBus);
  beforePublication = async () => {
    beforePublication = async () => undefined;
    await otherBus.manager.streams.delete(lost.name);
    await ensureStream(otherBus);
  };
  await db.all(insertIntoOutbox(db, envelopes.slice(2)));
  relay.wake();
  await eventually("refilled stream", async () => (await ensureStream(otherBus)).epoch !== lost.epoch && (await listStreamedIds()).length === 3);
  expect(await listStreamedIds()).toEqual(ids);
});
