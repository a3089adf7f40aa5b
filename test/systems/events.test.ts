/**
 * What is promised of events while the bus, the relay and the consumers die: each takes effect once and in order for each
 * entity, and whoever listens to the stream misses nothing, hears nothing twice and nothing of others. On a system of its own.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startSystem, type System } from "../../deploy/system/system.ts";
import type { FlakyClient } from "./events/flaky-client.ts";
import { runScenario, type StreamClients, type ScenarioResult } from "./events/scenario.ts";
import { verifyEffects, verifyStreams, type EffectReport } from "./events/verify.ts";
import { anOrganization, type Organization } from "./events/listeners.ts";
import { startWitnesses, type Witnesses } from "./events/faults.ts";
import { listEffects, consumedIds, countPending, staleProjections } from "./events/ground-truth.ts";
import { makeWitnessDatabase } from "./events/witness-database.ts";
import { sized } from "../support/proof.ts";
import { testSettings } from "../support/settings.ts";

const UNITS = sized(100, 500);
const UNITS_BESIDE = sized(20, 40);
const CHANGES = sized(16, 34);
/** With what charges, payments and notifications add. */
const EVENTS = sized(2_000, 20_000);
/** Tenancies, colleagues and colleagues who filter, of the larger organization and of its neighbour. */
const [LARGE, NEIGHBOUR] = sized(
  [
    { tenancies: 6, colleagues: 5, choosy: 6, ofTenant: 2 },
    { tenancies: 2, colleagues: 3, choosy: 0, ofTenant: 2 },
  ],
  [
    { tenancies: 20, colleagues: 12, choosy: 28, ofTenant: 2 },
    { tenancies: 5, colleagues: 10, choosy: 0, ofTenant: 2 },
  ],
);
const dataDir = mkdtempSync(join(tmpdir(), "freehold-events-"));
let system: System;
let witnesses: Witnesses;
let organizations: Organization[];
let happened: ScenarioResult;
const clients: FlakyClient[] = [];
const audience: StreamClients = { clients, closeAll: async () => void (await Promise.all(clients.map((client) => client.close()))) };

beforeAll(async () => {
  const began = performance.now();
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: { ...testSettings, VALIDATE_RESPONSES: "false" } });
  const { service } = await makeWitnessDatabase(system);
  witnesses = await startWitnesses(system, dataDir, service);
  organizations = await Promise.all([
    anOrganization(system.baseUrl, { units: UNITS, ...LARGE! }),
    anOrganization(system.baseUrl, { units: UNITS_BESIDE, ...NEIGHBOUR! }),
  ]);
  happened = await runScenario(
    {
      system,
      dataDir,
      organizations,
      witnesses,
      changes: CHANGES,
      say: (progress) => process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0)} s: ${progress}\n`),
    },
    audience,
  );
}, 420_000);
afterAll(async () => {
  await audience.closeAll();
  await witnesses?.stop();
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("an event", () => {
  test("takes effect once, in the order of its entity, whichever replica of a consumer dies", async () => {
    const { published: truth, streams } = happened;
    const found: EffectReport = verifyEffects(truth, await listEffects(system));
    const told = verifyStreams(clients, new Map(truth.map((event) => [event.id, event])), streams);
    const entities = new Set(truth.map(({ entityId }) => entityId)).size;
    process.stdout.write(
      `events=${truth.length} aggregates=${entities} witnessDeaths=${witnesses.deaths} deliveries=${told.deliveries} gaps=${told.gaps} repeats=${told.repeats} foreign=${told.foreign} disorder=${told.disorder + found.disorder} effects=${found.expected - found.missing}/${found.expected} effectsRepeated=${found.repeated} tokensInLogs=${tokensInLogs()}\n`,
    );
    expect(truth.length).toBeGreaterThanOrEqual(EVENTS);
    expect(entities).toBeGreaterThanOrEqual(UNITS);
    expect(found).toEqual({ expected: truth.length, missing: 0, repeated: 0, disorder: 0 });
    expect(witnesses.deaths).toBeGreaterThan(sized(0, 3));
  });

  test("is taken in by the services that subscribe to it, once", async () => {
    const { published: truth } = happened;
    const ids = (type: string) => truth.filter((event) => event.type === type).map(({ id }) => id);
    const paid = ids("payment.received");
    expect(paid.length).toBeGreaterThan(sized(20, 100));
    const taken = await consumedIds(system, "communications");
    expect(paid.filter((id) => !taken.has(id))).toEqual([]);
    // Each payment is told to everybody in its office but the one who recorded it, and to its tenant.
    expect(ids("notification.created").length).toBeGreaterThanOrEqual(2 * paid.length);
    expect(await staleProjections(system)).toBe(0);
    expect(await countPending(system)).toBe(0);
  });
});

describe("whoever listens to the stream", () => {
  test("misses nothing, hears nothing twice, in order, and nothing that concerns others, however often the connection breaks", () => {
    const { published: truth, streams } = happened;
    const told = verifyStreams(clients, new Map(truth.map((event) => [event.id, event])), streams);
    expect(told).toEqual({ deliveries: told.deliveries, gaps: 0, repeats: 0, foreign: 0, disorder: 0 });
    expect(told.deliveries).toBeGreaterThanOrEqual(sized(5_000, 50_000));
    expect(clients.length).toBeGreaterThanOrEqual(sized(20, 100));
    expect(clients.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(sized(2, 5) * clients.length);
  });

  test("is told when the stream lost its past, and finds everything by reading again", () => {
    expect(clients.filter(({ resets }) => resets === 0)).toEqual([]);
    expect(happened.rereads).toBeGreaterThan(0);
    expect(happened.stale).toBe(0);
  });

  test("would be found out: a gap, a repeat, a foreign event and a wrong order are counted", () => {
    const { published: truth, streams } = happened;
    const byId = new Map(truth.map((event) => [event.id, event]));
    const own = clients.find(({ who, spans }) => who.subjectId === null && !who.types && spans.at(-1)!.deliveries.length > 10)!;
    const other = clients.find(({ who, spans }) => who.user.organizationId !== own.who.user.organizationId && spans.at(-1)!.deliveries.length > 0)!;
    const told = own.spans.at(-1)!.deliveries;
    const judged = (spoilt: typeof told) => {
      const spans = [...own.spans.slice(0, -1), { ...own.spans.at(-1)!, told: spoilt }];
      return verifyStreams([{ who: own.who, spans } as unknown as FlakyClient], byId, streams);
    };
    expect(judged(told).gaps).toBe(0);
    expect(judged(told.toSpliced(5, 1)).gaps).toBe(1);
    expect(judged([...told, told.at(-1)!])).toMatchObject({ repeats: 1, disorder: 1 });
    expect(judged([...told, { ...other.spans.at(-1)!.deliveries.at(-1)!, sequence: told.at(-1)!.sequence + 1 }]).foreign).toBe(1);
    expect(verifyEffects(truth, truth.map(({ id, entityId }) => ({ eventId: id, entityId })).toReversed()).disorder).toBeGreaterThan(UNITS - 1);
  });
});

/** How often any token that was used stands in any log. */
function tokensInLogs(): number {
  const users = organizations.flatMap(({ office, listeners: listening }) => [office, ...listening.map(({ user }) => user)]);
  const secrets = [...new Set(users.flatMap(({ token, cookie }) => [token!, token!.split(".")[2]!, ...(cookie ? [cookie.split("=")[1]!] : [])]))];
  const logs = readdirSync(join(dataDir, "logs")).map((file) => readFileSync(join(dataDir, "logs", file), "utf8"));
  return logs.reduce((sum, log) => sum + secrets.filter((secret) => log.includes(secret)).length, 0);
}

test("no token of any client is in any log", () => {
  expect(readFileSync(join(dataDir, "logs", "gateway.log"), "utf8")).toContain("streamEvents");
  expect(tokensInLogs()).toBe(0);
});
