/**
 * Attacks on a running system with its default limits. During each, a user of another organization signs in, reads and writes; the
 * memory of no process may grow by more than 100 MiB, and nothing of the attack may stay.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { residentSetKib } from "../bench/memory.ts";
import { eventually } from "../support/eventually.ts";
import { anOffice, type Office } from "../support/office.ts";
import { sized } from "../support/proof.ts";
import { attacks } from "./attack/attacks.ts";
import { connectionsTo } from "./attack/sockets.ts";
import { act, signInOnDevice } from "./attack/victim.ts";

const MAX_GROWTH_MIB = 100;
const ROUNDS = sized(10, 100);
const dataDir = mkdtempSync(join(tmpdir(), "freehold-attacked-"));
let system: System;
let victim: Office;
let attackers: Office;
let device: string;
let idleP95Ms: number;

const processIds = () => [...system.children.values()].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
const residentSetsMib = () => new Map(processIds().map((pid) => [pid, residentSetKib(pid) / 1_024]));
const openFilesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: { DEV_OUTBOX: "true", TRUSTED_PROXIES: "127.0.0.1" } });
  victim = await anOffice(system.baseUrl);
  attackers = await anOffice(system.baseUrl);
  device = await signInOnDevice(victim);
  await act(victim, device, 20);
  ({ p95Ms: idleP95Ms } = await act(victim, device, 20));
});
afterAll(async () => {
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Samples the memory of all processes until it is stopped, and returns the largest growth of one in MiB. */
function watchMemory(): () => number {
  const before = residentSetsMib();
  let growth = 0;
  const sample = () => {
    for (const [pid, mib] of residentSetsMib()) growth = Math.max(growth, mib - (before.get(pid) ?? mib));
  };
  const timer = setInterval(sample, 100);
  return () => {
    clearInterval(timer);
    sample();
    return Math.round(growth);
  };
}

test.each(Object.keys(attacks))("%s: everybody else is served, and nothing of it stays", async (name) => {
  const gatewayPid = system.children.get("gateway")!.pid!;
  const connections = connectionsTo(system.baseUrl);
  const openFiles = openFilesOf(gatewayPid);
  const growthMib = watchMemory();
  const attack = attacks[name]!({ baseUrl: system.baseUrl, connections, office: attackers, victimEmail: victim.email });
  const { statuses, p95Ms, p99Ms } = await act(victim, device, ROUNDS);
  await attack;
  const growth = growthMib();
  connections.close();
  process.stdout.write(
    `attack="${name}" requests=${statuses.length} failed=${statuses.filter((status) => status !== 200).length} p95=${p95Ms}ms p99=${p99Ms}ms idleP95=${idleP95Ms}ms growth=${growth}MiB\n`,
  );
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  // Connections to services that the attack has opened are kept for its next requests, so the count of files falls to a bound.
  await eventually("the connections of the attack are closed", () => openFilesOf(gatewayPid) <= openFiles + 140);
});
