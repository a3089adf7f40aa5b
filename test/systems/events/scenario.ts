/** Scenario of the event tests: publishes, streams and consumes events while NATS, the relay and the consumers are killed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { System } from "../../../deploy/system/system.ts";
import { sized } from "../../support/proof.ts";
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
const STANDSTILL_MS = 60_000;
const POLL_INTERVAL_MS = 1_000;

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

/** Polls until the work is done or has made no progress for a minute: a busy machine only slows it down. */
async function waitWhileProgressing(read: () => Promise<{ isDone: boolean; progress: readonly number[] }>): Promise<void> {
  let previous = "";
  for (let changedAt = Date.now(); Date.now() < changedAt + STANDSTILL_MS; await sleep(POLL_INTERVAL_MS)) {
    const { isDone, progress } = await read();
    if (isDone) return;
    if (String(progress) !== previous) changedAt = Date.now();
    previous = String(progress);
  }
}

/** Waits until all events are published and consumed and no new ones appear. */
async function waitUntilQuiet(system: System): Promise<void> {
  let previousCount = -1;
  await waitWhileProgressing(async () => {
    const pending = await countPending(system);
    if (pending > 0) return { isDone: false, progress: [pending] };
    const [events, effects] = await Promise.all([listPublishedEvents(system), listEffects(system)]);
    const applied = new Set(effects.map(({ eventId }) => eventId)).size;
    const isStable = events.length === previousCount && applied >= events.length;
    previousCount = events.length;
    return { isDone: isStable && (await isConsumed(system, events)), progress: [events.length, applied] };
  });
}

/** Returns true if communications has consumed every payment, since it publishes events for each. */
async function isConsumed(system: System, events: readonly PublishedEvent[]): Promise<boolean> {
  const consumed = await listConsumedIds(system, "communications");
  return events.every(({ id, type }) => type !== "payment.received" || consumed.has(id));
}

/** Waits until every client has received its last event. Returns descriptions of the others. */
async function waitUntilCaughtUp(clients: readonly FlakyClient[], published: readonly PublishedEvent[], { events }: Stream): Promise<string[]> {
  const byId = new Map(published.map((event) => [event.id, event]));
  const newestFirst = [...events].toReversed();
  const expected = clients.map((client) => ({ client, last: newestFirst.find(([, id]) => isInAudience(client.listener, byId.get(id)!))?.[0] ?? 0 }));
  const lagging = () => expected.filter(({ client, last }) => client.position < last);
  await waitWhileProgressing(async () => ({ isDone: lagging().length === 0, progress: clients.map(({ position }) => position) }));
  return lagging().map(
    ({ client: { position, connections, isConnected }, last }) =>
      `${position} of ${last}, ${connections} connections, ${isConnected ? "connected" : "not connected"}`,
  );
}
