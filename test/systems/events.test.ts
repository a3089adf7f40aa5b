/**
 * Guarantees of events while NATS, the relay and the consumers are killed: each event is applied once and in order for its
 * entity, and stream clients receive each of their events once and no others. Starts its own system.
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
import { listEffects, listConsumedIds, countPending, countStaleProjections } from "./events/ground-truth.ts";
import { createWitnessDatabase } from "./events/witness-database.ts";
import { sized } from "../support/proof.ts";
import { testSettings } from "../support/settings.ts";

const UNITS = sized(100, 500);
const NEIGHBOUR_UNITS = sized(20, 40);
const CHANGES = sized(16, 34);
/** Minimum number of events, including those of charges, payments and notifications. */
const EVENTS = sized(2_000, 20_000);
/** Sizes of the larger organization and of its neighbour. */
const [LARGE, NEIGHBOUR] = sized(
  [
    { tenancies: 6, colleagues: 5, filtered: 6, perTenant: 2 },
    { tenancies: 2, colleagues: 3, filtered: 0, perTenant: 2 },
  ],
  [
    { tenancies: 20, colleagues: 12, filtered: 28, perTenant: 2 },
    { tenancies: 5, colleagues: 10, filtered: 0, perTenant: 2 },
  ],
);
const dataDir = mkdtempSync(join(tmpdir(), "freehold-events-"));
let system: System;
let witnesses: Witnesses;
let organizations: Organization[];
let result: ScenarioResult;
const clients: FlakyClient[] = [];
const streamClients: StreamClients = { clients, closeAll: async () => void (await Promise.all(clients.map((client) => client.close()))) };

beforeAll(async () => {
  const started = performance.now();
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: { ...testSettings, VALIDATE_RESPONSES: "false" } });
  const { service } = await createWitnessDatabase(system);
  witnesses = await startWitnesses(system, dataDir, service);
  organizations = await Promise.all([
    anOrganization(system.baseUrl, { units: UNITS, ...LARGE! }),
    anOrganization(system.baseUrl, { units: NEIGHBOUR_UNITS, ...NEIGHBOUR! }),
  ]);
  result = await runScenario(
    {
      system,
      dataDir,
      organizations,
      witnesses,
      changes: CHANGES,
      onProgress: (progress) => process.stdout.write(`${((performance.now() - started) / 1000).toFixed(0)} s: ${progress}\n`),
    },
    streamClients,
  );
}, 1_200_000);
afterAll(async () => {
  await streamClients.closeAll();
  await witnesses?.stop();
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("an event", () => {
  test("is applied once, in the order of its entity, while replicas of its consumer are killed", async () => {
    const { published, streams } = result;
    const effectReport: EffectReport = verifyEffects(published, await listEffects(system));
    const report = verifyStreams(clients, new Map(published.map((event) => [event.id, event])), streams);
    const entities = new Set(published.map(({ entityId }) => entityId)).size;
    process.stdout.write(
      `events=${published.length} aggregates=${entities} witnessDeaths=${witnesses.deaths} deliveries=${report.deliveries} gaps=${report.gaps} repeats=${report.repeats} foreign=${report.foreign} disorder=${report.disorder + effectReport.disorder} effects=${effectReport.expected - effectReport.missing}/${effectReport.expected} effectsRepeated=${effectReport.repeated} tokensInLogs=${tokensInLogs()}\n`,
    );
    expect(published.length).toBeGreaterThanOrEqual(EVENTS);
    expect(entities).toBeGreaterThanOrEqual(UNITS);
    expect(effectReport).toEqual({ expected: published.length, missing: 0, repeated: 0, disorder: 0 });
    expect(witnesses.deaths).toBeGreaterThan(sized(0, 3));
  });

  test("is consumed once by the services that subscribe to it", async () => {
    const { published } = result;
    const idsOfType = (type: string) => published.filter((event) => event.type === type).map(({ id }) => id);
    const paymentEventIds = idsOfType("payment.received");
    expect(paymentEventIds.length).toBeGreaterThan(sized(20, 100));
    const consumed = await listConsumedIds(system, "communications");
    expect(paymentEventIds.filter((id) => !consumed.has(id))).toEqual([]);
    // Each payment notifies its tenant; the organization's staff gets one notification of several payments.
    expect(idsOfType("notification.created").length).toBeGreaterThanOrEqual(paymentEventIds.length);
    expect(await countStaleProjections(system)).toBe(0);
    expect(await countPending(system)).toBe(0);
  });
});

describe("a stream client", () => {
  test("receives each of its events once, in order, and no others, however often the connection breaks", () => {
    const { published, streams } = result;
    const report = verifyStreams(clients, new Map(published.map((event) => [event.id, event])), streams);
    expect(report).toEqual({ deliveries: report.deliveries, gaps: 0, repeats: 0, foreign: 0, disorder: 0 });
    expect(report.deliveries).toBeGreaterThanOrEqual(sized(5_000, 50_000));
    expect(clients.length).toBeGreaterThanOrEqual(sized(20, 100));
    expect(clients.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(sized(2, 5) * clients.length);
  });

  test("receives stream.reset when the stream lost its history, and reads current data afterwards", () => {
    expect(clients.filter(({ resets }) => resets === 0)).toEqual([]);
    expect(result.rereads).toBeGreaterThan(0);
    expect(result.staleRows).toBe(0);
  });

  test("is reported when it misses an event, or receives one twice, out of order or of another organization", () => {
    const { published, streams } = result;
    const byId = new Map(published.map((event) => [event.id, event]));
    const client = clients.find(({ listener, spans }) => listener.subjectId === null && !listener.types && spans.at(-1)!.deliveries.length > 10)!;
    const foreignClient = clients.find(
      ({ listener, spans }) => listener.user.organizationId !== client.listener.user.organizationId && spans.at(-1)!.deliveries.length > 0,
    )!;
    const deliveries = client.spans.at(-1)!.deliveries;
    const verifyAltered = (altered: typeof deliveries) => {
      const spans = [...client.spans.slice(0, -1), { ...client.spans.at(-1)!, deliveries: altered }];
      return verifyStreams([{ listener: client.listener, spans }], byId, streams);
    };
    expect(verifyAltered(deliveries).gaps).toBe(0);
    expect(verifyAltered(deliveries.toSpliced(5, 1)).gaps).toBe(1);
    expect(verifyAltered([...deliveries, deliveries.at(-1)!])).toMatchObject({ repeats: 1, disorder: 1 });
    expect(verifyAltered([...deliveries, { ...foreignClient.spans.at(-1)!.deliveries.at(-1)!, sequence: deliveries.at(-1)!.sequence + 1 }]).foreign).toBe(1);
    expect(verifyEffects(published, published.map(({ id, entityId }) => ({ eventId: id, entityId })).toReversed()).disorder).toBeGreaterThan(UNITS - 1);
  });
});

/** Counts the occurrences of used tokens in the logs. */
function tokensInLogs(): number {
  const users = organizations.flatMap(({ office, listeners }) => [office, ...listeners.map(({ user }) => user)]);
  const secrets = [...new Set(users.flatMap(({ token, cookie }) => [token!, token!.split(".")[2]!, ...(cookie ? [cookie.split("=")[1]!] : [])]))];
  const logs = readdirSync(join(dataDir, "logs")).map((file) => readFileSync(join(dataDir, "logs", file), "utf8"));
  return logs.reduce((sum, log) => sum + secrets.filter((secret) => log.includes(secret)).length, 0);
}

test("no token of any client is in any log", () => {
  expect(readFileSync(join(dataDir, "logs", "gateway.log"), "utf8")).toContain("streamEvents");
  expect(tokensInLogs()).toBe(0);
});
