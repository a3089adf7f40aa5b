/** Fault suite: starts a system and writers, runs faults in sequence and reports the result. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSystem, type System } from "../../../deploy/system/system.ts";
import { anOffice, type Colleague, type Office } from "../../support/office.ts";
import { testSettings } from "../../support/settings.ts";
import { eventually } from "../../support/eventually.ts";
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
  /** Acknowledged operations whose replay returns another response. */
  changed: string[];
  /** Responses that no fault explains. */
  surprises: readonly string[];
  /** Violated invariants and corruption. */
  broken: string[];
  /** Number of journal entries dated by a wrong clock. */
  misdated: number;
  /** Milliseconds from the end of each fault until the system was healthy. */
  recoveries: number[];
}

export interface Suite {
  system: System;
  office: Office;
  session: Session;
  target: FaultTarget;
  history: History;
  /** Starts the writers. */
  begin(): void;
  readonly acknowledged: number;
  readonly acknowledgedPayments: readonly string[];
  /** Runs faults in sequence and waits for the given number of acknowledged operations after each. */
  runFaults(faults: readonly Fault[], atLeast?: number, onFault?: (fault: Fault, recoveryMs: number, totalMs: number) => void): Promise<void>;
  /** Stops the writers, waits until the system is at rest, and returns the report. */
  conclude(): Promise<Report>;
  stop(): Promise<void>;
}

export interface SuiteOptions {
  dataDir: string;
  seed: number;
  graySeconds: number;
  /** Maximum recovery time. A long run has more events to republish after the NATS store is deleted. */
  recoveryMs: number;
}

export async function startSuite({ dataDir, seed, graySeconds, recoveryMs: recoveryTimeoutMs }: SuiteOptions): Promise<Suite> {
  const proxies = createProxies(join(dataDir, "clocks"));
  const system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "on", environment: testSettings, adaptEnvironment: proxies.adapt }).catch(
    async (error: unknown) => {
      await proxies.close();
      throw error;
    },
  );
  const { office, manager, testData } = await createOrganization(system).catch(async (error: unknown) => {
    await system.stop();
    await proxies.close();
    throw error;
  });
  const session = sessionOf(office);
  const history = startHistory(join(dataDir, "history.jsonl"));
  const target = { system, proxies, dataDir, graySeconds };
  const recoveries: number[] = [];
  let writers: Writers | undefined;

  return {
    system,
    office,
    session,
    target,
    history,
    begin() {
      writers ??= startWriters({ baseUrl: system.baseUrl, session, testData, history, count: WRITERS, seed });
    },
    get acknowledged() {
      return writers?.acknowledgedCount ?? 0;
    },
    get acknowledgedPayments() {
      return writers?.acknowledgedPaymentIds ?? [];
    },
    async runFaults(faults, atLeast = 0, onFault) {
      for (const fault of faults) {
        const countBefore = writers!.acknowledgedCount;
        const started = performance.now();
        await sleep(PAUSE_MS);
        await fault.run(target);
        const recoveryMs = await waitForRecovery(system, fault.name, recoveryTimeoutMs);
        recoveries.push(recoveryMs);
        while (writers!.acknowledgedCount < countBefore + atLeast) await sleep(50);
        onFault?.(fault, recoveryMs, Math.round(performance.now() - started));
      }
    },
    async conclude() {
      await writers!.stop();
      await history.close();
      return createReport({ system, session, history, manager, testData, recoveries, surprises: writers!.unexpectedResponses });
    },
    async stop() {
      await writers?.stop();
      await system.stop();
      await proxies.close();
    },
  };
}

/** Creates the organization, a manager who receives its notifications, and the test data. */
async function createOrganization(system: System) {
  const office = await anOffice(system.baseUrl);
  return { office, manager: await office.colleague("manager"), testData: await createTestData(office) };
}

/** Reads the result of the latest health check, which may be a second old; undefined while the gateway does not respond. */
async function readHealth({ baseUrl }: System): Promise<{ status: string; time: string } | undefined> {
  const response = await fetch(`${baseUrl}/api/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return response && ((await response.json()) as { status: string; time: string });
}

/** Waits until a new check finds the whole system healthy and returns the waiting time in milliseconds. Throws an error after the timeout. */
export async function waitForRecovery(system: System, faultName: string, timeoutMs: number): Promise<number> {
  const started = performance.now();
  const earlier = await readHealth(system);
  const isHealthy = async () => {
    const health = await readHealth(system);
    return health?.status === "ok" && health.time !== earlier?.time;
  };
  await eventually(`recovery after "${faultName}"`, isHealthy, timeoutMs);
  return Math.round(performance.now() - started);
}

interface Evidence {
  system: System;
  session: Session;
  history: History;
  manager: Colleague;
  testData: TestData;
  recoveries: number[];
  surprises: readonly string[];
}

async function createReport({ system, session, history, manager, recoveries, surprises }: Evidence): Promise<Report> {
  const results = await readHistory(history.file);
  const changed = await replayAcknowledged(system, session, results);
  const violations = await eventually(
    "system without violations",
    async () => ((await brokenInvariants(system)).length === 0 ? [] : undefined),
    SETTLE_MS,
  ).catch(() => brokenInvariants(system));
  const effects = await eventually(
    "effects of every payment",
    async () => {
      const current = await paymentEffects(system, manager.userId);
      return current.missing.length === 0 && current.notified >= current.published ? current : undefined;
    },
    SETTLE_MS,
  ).catch(() => paymentEffects(system, manager.userId));
  return {
    ...(await asSuperuser(system, "ledger", (client) => check(client, results))),
    faults: recoveries.length,
    changed,
    surprises,
    misdated: await countFutureEntries(system),
    recoveries,
    broken: [
      ...violations,
      ...effects.missing.map((id) => `the payment event ${id} has no effect`),
      ...(effects.notified === effects.published ? [] : [`${effects.notified} of ${effects.published} payments were notified`]),
      ...(await findCorruption(system)),
    ],
  };
}

/**
 * Replays every acknowledged operation, repeatedly while the system does not respond. Returns those whose response differs from the
 * acknowledged bytes.
 */
async function replayAcknowledged(system: System, session: Session, results: ReadonlyMap<string, OperationResult>): Promise<string[]> {
  const changed: string[] = [];
  const remaining = [...results.values()].filter((result) => result.acknowledged);
  const deadline = performance.now() + SETTLE_MS;
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let result = remaining.pop(); result; result = remaining.pop()) {
        const { token } = session;
        const { status, text } = await sendOperation(system.baseUrl, token, result.operation).catch(() => ({ status: 0, text: "no response" }));
        if (status === 401) {
          await session.renew(token);
          remaining.push(result);
        } else if ((status === 0 || status === 503) && performance.now() < deadline) {
          await sleep(PAUSE_MS);
          remaining.push(result);
        } else if (digest(text) !== result.acknowledged!.digest)
          changed.push(`${result.operation.kind} ${result.operation.key}: ${status} ${text.slice(0, 200)}`);
      }
    }),
  );
  return changed;
}

/** Formats a report as one line of `name=value`. */
export function formatReport(report: Report): string {
  const recoveries = report.recoveries.toSorted((a, b) => a - b);
  const parts = {
    faults: report.faults,
    operations: report.operations,
    acknowledged: report.acknowledged,
    ambiguous: report.ambiguous,
    refused: report.refused,
    lost: report.lost.length + report.changed.length,
    doubled: report.doubled.length + report.unexpected.length,
    partial: report.partial.length,
    trialBalance: report.trialBalance,
    broken: report.broken.length,
    misdated: report.misdated,
    surprises: report.surprises.length,
    recoveryMedianMs: recoveries[recoveries.length >> 1] ?? 0,
    recoveryWorstMs: recoveries.at(-1) ?? 0,
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
