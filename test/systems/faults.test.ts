/**
 * Guarantees under faults (killed processes, network faults, wrong clocks, restarts): every acknowledged operation is
 * stored exactly once and completely. Starts its own system with fsync on, and kills only processes of that system,
 * each by its id. `npm run faults` runs longer.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OperationId } from "@freehold/contract";
import { services, type ServiceName } from "../../deploy/system/secrets.ts";
import { check } from "./faults/checker.ts";
import { deletesStore } from "./faults/faults.ts";
import { readHistory, type OperationResult } from "./faults/history.ts";
import { planFaults, shortRun } from "./faults/plan.ts";
import { asSuperuser } from "./faults/invariants.ts";
import { formatReport, waitForRecovery, startSuite, type Report, type Suite } from "./faults/suite.ts";
import { isFullProof, sized } from "../support/proof.ts";
import { ReconnectingReader, sequenceOf } from "../support/events/stream.ts";
import { eventually, EVENTUALLY_TIMEOUT_MS } from "../support/eventually.ts";

const SEED = 20_261_121;
const MIN_ACKNOWLEDGED = sized(1_000, 5_000);
/** Only the proof at full size measures the time of a recovery; a busy machine takes longer. */
const RECOVERY_MS = sized(EVENTUALLY_TIMEOUT_MS, 20_000);
const dataDir = mkdtempSync(join(tmpdir(), "freehold-faults-"));
let suite: Suite;

beforeAll(async () => {
  suite = await startSuite({ dataDir, seed: SEED, graySeconds: sized(2, 5), recoveryMs: RECOVERY_MS });
});
afterAll(async () => {
  await suite?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("a shifted clock", () => {
  test("changes the wall clock of the process, but not its timers and its monotonic clock", async () => {
    const file = join(dataDir, "a.clock");
    const program = `
      import { randomUUIDv7 } from "node:crypto";
      import { writeFileSync } from "node:fs";
      const before = { date: Date.now(), monotonic: performance.now() };
      writeFileSync(process.env.CLOCK_FILE, "-3600000");
      setTimeout(() => process.stdout.write(JSON.stringify({
        shift: Date.now() - before.date, elapsed: performance.now() - before.monotonic, constructed: new Date() - Date.now(),
        id: Number.parseInt(randomUUIDv7().replace("-", "").slice(0, 12), 16) - Date.now(), parsed: new Date("2026-01-01").toISOString(),
      })), 300);`;
    writeFileSync(file, "0");
    const clock = new URL("faults/clock.mjs", import.meta.url).href;
    const child = spawn(process.execPath, [`--import=${clock}`, "--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, CLOCK_FILE: file },
    });
    const [[chunk]] = (await Promise.all([once(child.stdout, "data"), once(child, "close")])) as [[Buffer], unknown];
    const measured = JSON.parse(chunk.toString()) as Record<"shift" | "elapsed" | "constructed" | "id", number> & { parsed: string };
    expect(Math.abs(measured.shift + 3_600_000)).toBeLessThan(10_000);
    expect(measured.elapsed).toBeGreaterThanOrEqual(290);
    expect(measured.elapsed).toBeLessThan(10_000);
    expect(Math.abs(measured.constructed)).toBeLessThan(1_000);
    expect(Math.abs(measured.id)).toBeLessThan(1_000);
    expect(measured.parsed).toBe("2026-01-01T00:00:00.000Z");
  });
});

describe("a process that dies", () => {
  const operationOf: Record<ServiceName, OperationId> = {
    identity: "getOrganization",
    portfolio: "listVendors",
    ledger: "listCategories",
    communications: "listNotifications",
    imports: "getImportTemplate",
  };
  const callOperationOf = (name: ServiceName) => suite.office.attempt(operationOf[name], { params: { provider: "generic" } as never });

  test.each(services)("%s fails only its own operations, and recovers", async (name) => {
    process.kill(suite.system.children.get(name)!.pid!, "SIGKILL");
    const failure = await eventually("unavailable response", async () => {
      const response = await callOperationOf(name);
      return response.status === 200 ? undefined : response;
    });
    expect([failure.status, failure.body.code, Number(failure.headers.get("retry-after"))]).toEqual([503, "service_unavailable", 1]);
    const others = await Promise.all(services.filter((other) => other !== name).map(async (other) => [other, (await callOperationOf(other)).status]));
    expect(others).toEqual(services.filter((other) => other !== name).map((other) => [other, 200]));
    await waitForRecovery(suite.system, `${name} was killed`, sized(EVENTUALLY_TIMEOUT_MS, 10_000));
    expect((await callOperationOf(name)).status).toBe(200);
  });
});

describe("an acknowledged operation", () => {
  let report: Report;
  let results: Map<string, OperationResult>;
  let reader: ReconnectingReader;

  test("is stored exactly once and completely, with the acknowledged response, despite all faults", async () => {
    const faults = planFaults(shortRun, SEED);
    reader = new ReconnectingReader(suite.system.baseUrl, () => suite.session.token, { types: ["payment.received"] });
    await reader.ready();
    suite.begin();
    const runFaults = (selected: typeof faults) => suite.runFaults(selected, Math.ceil(MIN_ACKNOWLEDGED / faults.length));
    await runFaults(faults.filter((fault) => !deletesStore(fault)));
    await expectStreamed(reader);
    await runFaults(faults.filter(deletesStore));
    report = await suite.conclude();
    process.stdout.write(`${formatReport(report)}\n`);
    const { lost, changed, doubled, unexpected, partial, broken, surprises, trialBalance } = report;
    expect({ lost, changed, doubled, unexpected, partial, broken, surprises, trialBalance }).toEqual({
      lost: [],
      changed: [],
      doubled: [],
      unexpected: [],
      partial: [],
      broken: [],
      surprises: [],
      trialBalance: 0,
    });
    expect(report.faults).toBe(faults.length);
    expect(report.acknowledged).toBeGreaterThanOrEqual(MIN_ACKNOWLEDGED);
    if (isFullProof) expect(Math.min(report.ambiguous, report.refused)).toBeGreaterThan(0);
  }, 900_000);

  /** Expects every acknowledged payment on the stream once and in order, despite reconnects. */
  async function expectStreamed(reader: ReconnectingReader): Promise<void> {
    const expected = new Set(suite.acknowledgedPayments);
    const isComplete = () => new Set(reader.events.map(({ data }) => data.entityId)).isSupersetOf(expected);
    await eventually("complete stream", () => isComplete()).catch(() => undefined);
    await reader.close();
    const ids = reader.events.map(({ data }) => data.entityId);
    expect([...expected.difference(new Set(ids))]).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(reader.events.map(sequenceOf)).toEqual(reader.events.map(sequenceOf).toSorted((a, b) => a - b));
    expect(reader.resetCount).toBe(0);
    expect(reader.connectionCount).toBeGreaterThan(2);
  }

  test("is reported when it is lost, duplicated or incomplete", async () => {
    results = await readHistory(suite.history.file);
    const duplicated = [...results.values()].find(({ operation, acknowledged }) => operation.kind === "charge" && acknowledged)!;
    const invented = { ...duplicated, operation: { ...duplicated.operation, key: "never requested" } };
    const verdict = await asSuperuser(suite.system, "ledger", async (client) => {
      await client.query("begin");
      await client.query("set session_replication_role = replica");
      await client.query(`insert into charge select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).* from charge c where memo = $1`, [
        duplicated.operation.key,
      ]);
      await client.query("delete from payment_allocation where id = (select id from payment_allocation where released_at is null limit 1)");
      await client.query("update journal_line set debit_cents = debit_cents + 1 where id = (select id from journal_line where debit_cents > 0 limit 1)");
      const altered = await check(client, new Map([...results, [invented.operation.key, invented]]));
      await client.query("rollback");
      return altered;
    });
    expect(verdict.lost).toEqual(["charge never requested"]);
    expect(verdict.doubled).toEqual([duplicated.operation.key]);
    expect(verdict.partial.length).toBeGreaterThan(report.partial.length);
    expect(verdict.trialBalance).toBe(1);
  });
});
