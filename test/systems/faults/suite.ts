/** One run: a system of its own, writers, faults one after the other, and at the end the account of it all. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSystem, type System } from "../../../deploy/system/system.ts";
import { anOffice, type Colleague, type Office } from "../../support/office.ts";
import { testSettings } from "../../support/settings.ts";
import { eventually } from "../../support/world.ts";
import { check, type Verdict } from "./checker.ts";
import type { Fault, FaultTarget } from "./faults.ts";
import { digest, readHistory, startHistory, type OperationResult, type History } from "./history.ts";
import { createTestData, type TestData } from "./operations.ts";
import { sessionOf, type Session } from "./session.ts";
import { asSuperuser, brokenInvariants, findCorruption, paymentEffects, countFutureEntries } from "./invariants.ts";
import { sendOperation, startWriters, type Writers } from "./writers.ts";
import { createProxies } from "./proxies.ts";

const WRITERS = 16;
const PAUSE_MS = 300;
const SETTLE_MS = 90_000;

export interface Report extends Verdict {
  faults: number;
  /** Acknowledged operations whose key, sent again, is answered otherwise than the first time. */
  changed: string[];
  surprises: readonly string[];
  /** Laws of the books, of the events and of the walls that do not hold, and what amcheck found. */
  broken: string[];
  /** Entries that a process with a wrong clock dated. */
  misdated: number;
  /** Milliseconds from the end of each fault until the system said that it is well. */
  recoveries: number[];
}

export interface Suite {
  system: System;
  office: Office;
  session: Session;
  target: FaultTarget;
  history: History;
  /** Starts the writers; until then nothing is asked. */
  begin(): void;
  readonly acknowledged: number;
  readonly acknowledgedPayments: readonly string[];
  /** Lets faults happen one after the other, each with so many operations acknowledged since the one before. */
  runFaults(faults: readonly Fault[], atLeast?: number, onFault?: (fault: Fault, recoveryMs: number, tookMs: number) => void): Promise<void>;
  /** Stops the writers, waits until all is quiet, and gives account. */
  conclude(): Promise<Report>;
  stop(): Promise<void>;
}

export interface SuiteOptions {
  dataDir: string;
  seed: number;
  graySeconds: number;
  /** How long the system may take until it is well again. A long run has more events to publish anew when NATS loses its store. */
  recoveryMs: number;
}

export async function startSuite({ dataDir, seed, graySeconds, recoveryMs: longestMs }: SuiteOptions): Promise<Suite> {
  const proxies = createProxies(join(dataDir, "clocks"));
  const system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "on", environment: testSettings, adapt: proxies.adapt }).catch(
    async (error: unknown) => {
      await proxies.close();
      throw error;
    },
  );
  const { office, manager, ground } = await createOrganization(system).catch(async (error: unknown) => {
    await system.stop();
    await proxies.close();
    throw error;
  });
  const session = sessionOf(office);
  const history = startHistory(join(dataDir, "history.jsonl"));
  const victim = { system, proxies, dataDir, graySeconds };
  const recoveries: number[] = [];
  let writers: Writers | undefined;

  return {
    system,
    office,
    session,
    target: victim,
    history,
    begin() {
      writers ??= startWriters({ baseUrl: system.baseUrl, session, ground, history, count: WRITERS, seed });
    },
    get acknowledged() {
      return writers?.acknowledged ?? 0;
    },
    get acknowledgedPayments() {
      return writers?.payments ?? [];
    },
    async runFaults(faults, atLeast = 0, onFault) {
      for (const fault of faults) {
        const before = writers!.acknowledged;
        const started = performance.now();
        await sleep(PAUSE_MS);
        await fault.run(victim);
        const recoveryMs = await waitForRecovery(system, fault.name, longestMs);
        recoveries.push(recoveryMs);
        while (writers!.acknowledged < before + atLeast) await sleep(50);
        onFault?.(fault, recoveryMs, Math.round(performance.now() - started));
      }
    },
    async conclude() {
      await writers!.stop();
      await history.close();
      return createReport({ system, session, history, manager, ground, recoveries, surprises: writers!.surprises });
    },
    async stop() {
      await writers?.stop();
      await system.stop();
      await proxies.close();
    },
  };
}

/** Somebody to work for, somebody who is told, and something to work on. */
async function createOrganization(system: System) {
  const office = await anOffice(system.baseUrl);
  return { office, manager: await office.colleague("manager"), ground: await createTestData(office) };
}

const isHealthy = async ({ baseUrl }: System): Promise<true | undefined> => {
  const health = await fetch(`${baseUrl}/api/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return (health?.status === 200 && ((await health.json()) as { status: string }).status === "ok") || undefined;
};

/** Milliseconds until the whole system says that it is well. */
export async function waitForRecovery(system: System, after: string, longestMs: number): Promise<number> {
  const started = performance.now();
  await eventually(`recovery after "${after}"`, () => isHealthy(system), longestMs);
  return Math.round(performance.now() - started);
}

interface Evidence {
  system: System;
  session: Session;
  history: History;
  manager: Colleague;
  ground: TestData;
  recoveries: number[];
  surprises: readonly string[];
}

async function createReport({ system, session, history, manager, recoveries, surprises }: Evidence): Promise<Report> {
  const fates = await readHistory(history.file);
  const changed = await replayAcknowledged(system, session, fates);
  const quiet = await eventually("quiet", async () => ((await brokenInvariants(system)).length === 0 ? [] : undefined), SETTLE_MS).catch(() =>
    brokenInvariants(system),
  );
  const effects = await eventually(
    "effects of every payment",
    async () => {
      const found = await paymentEffects(system, manager.userId);
      return found.missing.length === 0 ? found : undefined;
    },
    SETTLE_MS,
  ).catch(() => paymentEffects(system, manager.userId));
  return {
    ...(await asSuperuser(system, "ledger", (client) => check(client, fates))),
    faults: recoveries.length,
    changed,
    surprises,
    misdated: await countFutureEntries(system),
    recoveries,
    broken: [
      ...quiet,
      ...effects.missing.map((id) => `the payment event ${id} has no effect`),
      ...effects.repeated.map((id) => `the payment ${id} was told twice`),
      ...(await findCorruption(system)),
    ],
  };
}

/** Sends every acknowledged operation again with its key: the bytes must be those that were acknowledged. */
async function replayAcknowledged(system: System, session: Session, fates: ReadonlyMap<string, OperationResult>): Promise<string[]> {
  const changed: string[] = [];
  const left = [...fates.values()].filter((fate) => fate.acknowledged);
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let fate = left.pop(); fate; fate = left.pop()) {
        const { token } = session;
        const { status, text } = await sendOperation(system.baseUrl, token, fate.operation);
        if (status === 401) {
          await session.renew(token);
          left.push(fate);
        } else if (digest(text) !== fate.acknowledged!.digest) changed.push(`${fate.operation.kind} ${fate.operation.key}: ${status} ${text.slice(0, 200)}`);
      }
    }),
  );
  return changed;
}

/** The one line. */
export function formatReport(account: Report): string {
  const recoveries = account.recoveries.toSorted((one, other) => one - other);
  const parts = {
    faults: account.faults,
    operations: account.operations,
    acknowledged: account.acknowledged,
    ambiguous: account.ambiguous,
    refused: account.refused,
    lost: account.lost.length + account.changed.length,
    doubled: account.doubled.length + account.uninvited.length,
    partial: account.partial.length,
    trialBalance: account.trialBalance,
    broken: account.broken.length,
    misdated: account.misdated,
    surprises: account.surprises.length,
    recoveryMedianMs: recoveries[recoveries.length >> 1] ?? 0,
    recoveryWorstMs: recoveries.at(-1) ?? 0,
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
