/** Scenario of the event tests: publishes, streams and consumes events while NATS, the relay and the consumers are killed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { System } from "../../../deploy/system/system.ts";
import { sized } from "../../support/proof.ts";
import { eventually } from "../../support/eventually.ts";
import { countStaleUnits, startChanges } from "./changes.ts";
import { FlakyClient } from "./flaky-client.ts";
import type { Organization } from "./listeners.ts";
import { faultsOf, type Witnesses } from "./faults.ts";
import { listPublishedEvents, isInAudience, listEffects, listConsumedIds, readStream, countPending, type PublishedEvent, type Stream } from "./ground-truth.ts";

export interface ScenarioOptions {
  system: System;
  dataDir: string;
  organizations: readonly Organization[];
  witnesses: Witnesses;
  /** Number of changes of each unit. */
  changes: number;
  onProgress?: (progress: string) => void;
}

export interface ScenarioResult {
  /** Every event, each service's in the order of its commits. */
  published: PublishedEvent[];
  /** Contents of the stream before its deletion and at the end. */
  streams: Stream[];
  /** Number of rows that clients read after a reset without their last acknowledged change. */
  staleRows: number;
  /** Number of times that clients read the rows again after a reset. */
  rereads: number;
}

/** Stream clients of the scenario. `closeAll` also works when the scenario failed. */
export interface StreamClients {
  clients: FlakyClient[];
  closeAll(): Promise<void>;
}

const CONCURRENCY = 24;
const NEIGHBOUR_CONCURRENCY = 4;
const QUIET_TIMEOUT_MS = 60_000;
const CATCH_UP_TIMEOUT_MS = 30_000;
const QUIET_INTERVAL_MS = 1_000;

export async function runScenario(
  { system, dataDir, organizations, witnesses, changes: rounds, onProgress = () => undefined }: ScenarioOptions,
  streams: StreamClients,
): Promise<ScenarioResult> {
  const systemFaults = faultsOf(system, dataDir);
  const changes = organizations.map((organization, index) => startChanges(organization, rounds, index === 0 ? CONCURRENCY : NEIGHBOUR_CONCURRENCY));
  const checks: Promise<void>[] = [];
  let staleRows = 0;
  for (const [index, organization] of organizations.entries()) {
    for (const listener of organization.listeners) {
      const reread = async () => {
        staleRows += await countStaleUnits(organization, changes[index]!, listener.user);
      };
      const onReset = () => {
        if (listener.subjectId === null) checks.push(reread());
      };
      streams.clients.push(new FlakyClient(system.baseUrl, listener, onReset));
    }
  }
  let beforeDeletion: Stream | undefined;
  const killRelay = { name: "relay killed", run: systemFaults.killRelay };
  const killNats = { name: "NATS killed", run: systemFaults.killNats };
  const deleteStore = { name: "NATS store deleted", run: () => systemFaults.deleteStore(async () => void (beforeDeletion = await readStream(system))) };
  const [shortRunFaults, fullRunFaults] = [
    [killRelay, killNats, deleteStore, killRelay],
    [killRelay, killNats, killRelay, killNats, deleteStore, killRelay, killNats, killRelay, killNats, killRelay, killNats],
  ];
  const faults: { name: string; run: () => void | Promise<void> }[] = sized(shortRunFaults!, fullRunFaults!);
  const totalChanges = organizations[0]!.units.length * rounds;
  for (const [index, { name, run }] of faults.entries()) {
    while (changes[0]!.done < ((index + 1) / (faults.length + 1)) * totalChanges) await sleep(20);
    onProgress(`${name} after ${changes[0]!.done} changes`);
    await run();
  }
  await Promise.all(changes.map(({ finished }) => finished));
  onProgress("all changes done");
  await witnesses.stopKilling();
  for (const client of streams.clients) client.stabilize();
  await waitUntilQuiet(system);
  await Promise.all(checks);
  onProgress("all events consumed");
  const published = await listPublishedEvents(system);
  const stream = await readStream(system);
  const lagging = await waitUntilCaughtUp(streams.clients, published, stream);
  onProgress(lagging.length === 0 ? "all clients caught up" : `lagging: ${lagging.join("; ")}`);
  await streams.closeAll();
  return { published, streams: [beforeDeletion!, stream], staleRows, rereads: checks.length };
}

/** Waits, up to a timeout, until all events are published and consumed and no new ones appear. */
async function waitUntilQuiet(system: System): Promise<void> {
  let previousCount = -1;
  const isQuiet = async () => {
    await sleep(QUIET_INTERVAL_MS);
    if ((await countPending(system)) > 0) return undefined;
    const [events, applied] = await Promise.all([listPublishedEvents(system), listEffects(system)]);
    const isStable = events.length === previousCount && (await isConsumed(system, events));
    previousCount = events.length;
    return isStable && new Set(applied.map(({ eventId }) => eventId)).size >= events.length;
  };
  await eventually("quiet", isQuiet, QUIET_TIMEOUT_MS).catch(() => undefined);
}

/** Returns true if communications has consumed every payment, since it publishes events for each. */
async function isConsumed(system: System, events: readonly PublishedEvent[]): Promise<boolean> {
  const consumed = await listConsumedIds(system, "communications");
  return events.every(({ id, type }) => type !== "payment.received" || consumed.has(id));
}

/** Waits, up to a timeout, until every client has received its last event. Returns descriptions of the others. */
async function waitUntilCaughtUp(clients: readonly FlakyClient[], published: readonly PublishedEvent[], { events }: Stream): Promise<string[]> {
  const byId = new Map(published.map((event) => [event.id, event]));
  const newestFirst = [...events].toReversed();
  const expected = clients.map((client) => ({ client, last: newestFirst.find(([, id]) => isInAudience(client.listener, byId.get(id)!))?.[0] ?? 0 }));
  const lagging = () => expected.filter(({ client, last }) => client.position < last);
  await eventually("clients that caught up", () => lagging().length === 0, CATCH_UP_TIMEOUT_MS).catch(() => undefined);
  return lagging().map(
    ({ client: { position, connections, isConnected }, last }) =>
      `${position} of ${last}, ${connections} connections, ${isConnected ? "connected" : "not connected"}`,
  );
}
