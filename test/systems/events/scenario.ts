/** Twenty thousand events come to be, are told and take effect; meanwhile the bus, the relay and the consumers die. */
import { setTimeout as sleep } from "node:timers/promises";
import type { System } from "../../../deploy/system/system.ts";
import { sized } from "../../support/proof.ts";
import { eventually } from "../../support/world.ts";
import { staleUnits, startChanges } from "./changes.ts";
import { FlakyClient } from "./flaky-client.ts";
import type { Organization } from "./listeners.ts";
import { faultsOf, type Witnesses } from "./faults.ts";
import { publishedEvents, isAudience, listEffects, consumedIds, readStream, countPending, type PublishedEvent, type Stream } from "./ground-truth.ts";

export interface ScenarioOptions {
  system: System;
  dataDir: string;
  organizations: readonly Organization[];
  witnesses: Witnesses;
  /** How often each unit is changed. */
  changes: number;
  say?: (progress: string) => void;
}

export interface ScenarioResult {
  /** Every event, each service's in the order of its commits. */
  published: PublishedEvent[];
  /** The stream as it was before it was deleted, and as it is at the end. */
  streams: Stream[];
  /** What clients found older than it was acknowledged when they read again after a reset, and how often they did. */
  stale: number;
  rereads: number;
}

/** Who listens, each with a connection that keeps breaking; `closeAll` ends them whatever became of the rest. */
export interface StreamClients {
  clients: FlakyClient[];
  closeAll(): Promise<void>;
}

const LANES = 24;
const LANES_BESIDE = 4;
const QUIET_MS = 60_000;
const CAUGHT_UP_MS = 30_000;
const STILL_MS = 1_000;

export async function runScenario(
  { system, dataDir, organizations, witnesses, changes: times, say = () => undefined }: ScenarioOptions,
  audience: StreamClients,
): Promise<ScenarioResult> {
  const trouble = faultsOf(system, dataDir);
  const changes = organizations.map((organization, index) => startChanges(organization, times, index === 0 ? LANES : LANES_BESIDE));
  const checks: Promise<void>[] = [];
  let stale = 0;
  for (const [index, organization] of organizations.entries()) {
    for (const who of organization.listeners) {
      const readAgain = async () => {
        stale += await staleUnits(organization, changes[index]!, who.user);
      };
      const onReset = () => {
        if (who.subjectId === null) checks.push(readAgain());
      };
      audience.clients.push(new FlakyClient(system.baseUrl, who, onReset));
    }
  }
  let beforeDeletion: Stream | undefined;
  const relayDies = { name: "the relay dies", happens: trouble.killRelay };
  const natsDies = { name: "NATS dies", happens: trouble.killNats };
  const storeIsLost = { name: "the store is lost", happens: () => trouble.deleteStore(async () => void (beforeDeletion = await readStream(system))) };
  const [few, many] = [
    [relayDies, natsDies, storeIsLost, relayDies],
    [relayDies, natsDies, relayDies, natsDies, storeIsLost, relayDies, natsDies, relayDies, natsDies, relayDies, natsDies],
  ];
  const rounds: { name: string; happens: () => void | Promise<void> }[] = sized(few!, many!);
  const total = organizations[0]!.units.length * times;
  for (const [index, { name, happens }] of rounds.entries()) {
    while (changes[0]!.done < ((index + 1) / (rounds.length + 1)) * total) await sleep(20);
    say(`${name} after ${changes[0]!.done} changes`);
    await happens();
  }
  await Promise.all(changes.map(({ finished }) => finished));
  say("everything is changed");
  await witnesses.stopKilling();
  for (const client of audience.clients) client.calmDown();
  await waitUntilQuiet(system);
  await Promise.all(checks);
  say("everything is quiet");
  const truth = await publishedEvents(system);
  const stream = await readStream(system);
  const behind = await waitUntilCaughtUp(audience.clients, truth, stream);
  say(behind.length === 0 ? "everybody has caught up" : `behind are ${behind.join("; ")}`);
  await audience.closeAll();
  return { published: truth, streams: [beforeDeletion!, stream], stale, rereads: checks.length };
}

/** Until everything announced has been published and has taken effect, and nothing more comes of it, or long enough. */
async function waitUntilQuiet(system: System): Promise<void> {
  let before = -1;
  const isQuiet = async () => {
    await sleep(STILL_MS);
    if ((await countPending(system)) > 0) return undefined;
    const [all, took] = await Promise.all([publishedEvents(system), listEffects(system)]);
    const isStill = all.length === before && (await isConsumed(system, all));
    before = all.length;
    return (isStill && new Set(took.map(({ eventId }) => eventId)).size >= all.length) || undefined;
  };
  await eventually("quiet", isQuiet, QUIET_MS).catch(() => undefined);
}

/** What communications makes of a payment is announced in its turn. */
async function isConsumed(system: System, all: readonly PublishedEvent[]): Promise<boolean> {
  const taken = await consumedIds(system, "communications");
  return all.every(({ id, type }) => type !== "payment.received" || taken.has(id));
}

/** Until every client has been told the last of the stream that concerns it, or long enough; answers who has not. */
async function waitUntilCaughtUp(clients: readonly FlakyClient[], truth: readonly PublishedEvent[], { events }: Stream): Promise<string[]> {
  const byId = new Map(truth.map((event) => [event.id, event]));
  const newestFirst = [...events].toReversed();
  const awaited = clients.map((client) => ({ client, last: newestFirst.find(([, id]) => isAudience(client.who, byId.get(id)!))?.[0] ?? 0 }));
  const behind = () => awaited.filter(({ client, last }) => client.position < last);
  await eventually("everybody caught up", () => Promise.resolve(behind().length === 0 || undefined), CAUGHT_UP_MS).catch(() => undefined);
  return behind().map(
    ({ client: { position, connections, isConnected }, last }) =>
      `${position} of ${last}, ${connections} connections, ${isConnected ? "connected" : "not connected"}`,
  );
}
