/**
 * What is promised while processes die, wires break, clocks jump and everything is restarted: what was acknowledged is
 * there once and whole. Runs a system of its own, on a database that syncs, and ends nothing but that system's processes,
 * each by its id. `npm run faults` does the same for longer.
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
import { losesStore } from "./faults/faults.ts";
import { readHistory, type OperationResult } from "./faults/history.ts";
import { planFaults, shortRun } from "./faults/plan.ts";
import { asSuperuser } from "./faults/invariants.ts";
import { formatReport, waitForRecovery, startSuite, type Report, type Suite } from "./faults/suite.ts";
import { isFullProof, sized } from "../support/proof.ts";
import { ReconnectingReader, sequenceOf } from "../support/stream.ts";
import { eventually } from "../support/world.ts";

const SEED = 20_261_121;
const AT_LEAST = sized(1_000, 5_000);
const RECOVERY_MS = 20_000;
const dataDir = mkdtempSync(join(tmpdir(), "freehold-faults-"));
let suite: Suite;

beforeAll(async () => {
  suite = await startSuite({ dataDir, seed: SEED, graySeconds: sized(2, 5), recoveryMs: RECOVERY_MS });
});
afterAll(async () => {
  await suite?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("a clock that is shifted", () => {
  test("moves what the process takes for the time, and neither its timers nor its monotonic clock", async () => {
    const file = join(dataDir, "a.clock");
    const program = `
      import { randomUUIDv7 } from "node:crypto";
      import { writeFileSync } from "node:fs";
      const before = { date: Date.now(), monotonic: performance.now() };
      writeFileSync(process.env.CLOCK_FILE, "-3600000");
      setTimeout(() => process.stdout.write(JSON.stringify({
        shift: Date.now() - before.date, elapsed: performance.now() - before.monotonic, constructed: new Date() - Date.now(),
        id: Number.parseInt(randomUUIDv7().replace("-", "").slice(0, 12), 16) - Date.now(), given: new Date("2026-01-01").toISOString(),
      })), 300);`;
    writeFileSync(file, "0");
    const clock = new URL("faults/clock.mjs", import.meta.url).href;
    const child = spawn(process.execPath, [`--import=${clock}`, "--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, CLOCK_FILE: file },
    });
    const [[chunk]] = (await Promise.all([once(child.stdout, "data"), once(child, "close")])) as [[Buffer], unknown];
    const seen = JSON.parse(chunk.toString()) as Record<"shift" | "elapsed" | "constructed" | "id", number> & { given: string };
    expect(Math.abs(seen.shift + 3_600_000)).toBeLessThan(10_000);
    expect(seen.elapsed).toBeGreaterThanOrEqual(290);
    expect(seen.elapsed).toBeLessThan(10_000);
    expect(Math.abs(seen.constructed)).toBeLessThan(1_000);
    expect(Math.abs(seen.id)).toBeLessThan(1_000);
    expect(seen.given).toBe("2026-01-01T00:00:00.000Z");
  });
});

describe("a process that dies", () => {
  const ofService: Record<ServiceName, OperationId> = {
    identity: "getOrganization",
    portfolio: "listVendors",
    ledger: "listCategories",
    communications: "listNotifications",
    imports: "getImportTemplate",
  };
  const ask = (name: ServiceName) => suite.office.attempt(ofService[name], { params: { provider: "generic" } as never });

  test.each(services)("%s takes only its own operations with it, and is back within seconds", async (name) => {
    process.kill(suite.system.children.get(name)!.pid!, "SIGKILL");
    const down = await eventually("answer without the service", async () => {
      const answer = await ask(name);
      return answer.status === 200 ? undefined : answer;
    });
    expect([down.status, down.body.code, Number(down.headers.get("retry-after"))]).toEqual([503, "service_unavailable", 1]);
    const others = await Promise.all(services.filter((other) => other !== name).map(async (other) => [other, (await ask(other)).status]));
    expect(others).toEqual(services.filter((other) => other !== name).map((other) => [other, 200]));
    expect(await waitForRecovery(suite.system, `${name} was killed`, RECOVERY_MS)).toBeLessThan(10_000);
    expect((await ask(name)).status).toBe(200);
  });
});

describe("an operation that was acknowledged", () => {
  let account: Report;
  let fates: Map<string, OperationResult>;
  let reader: ReconnectingReader;

  test("is there once, whole, with what was answered, whatever happened meanwhile", async () => {
    const faults = planFaults(shortRun, SEED);
    reader = new ReconnectingReader(suite.system.baseUrl, () => suite.session.token, { types: ["payment.received"] });
    await reader.ready();
    suite.begin();
    const suffer = (which: typeof faults) => suite.runFaults(which, Math.ceil(AT_LEAST / faults.length));
    await suffer(faults.filter((fault) => !losesStore(fault)));
    await told(reader);
    await suffer(faults.filter(losesStore));
    account = await suite.conclude();
    process.stdout.write(`${formatReport(account)}\n`);
    const { lost, changed, doubled, uninvited, partial, broken, surprises, trialBalance } = account;
    expect({ lost, changed, doubled, uninvited, partial, broken, surprises, trialBalance }).toEqual({
      lost: [],
      changed: [],
      doubled: [],
      uninvited: [],
      partial: [],
      broken: [],
      surprises: [],
      trialBalance: 0,
    });
    expect(account.faults).toBe(faults.length);
    expect(account.acknowledged).toBeGreaterThanOrEqual(AT_LEAST);
    if (isFullProof) expect(Math.min(account.ambiguous, account.refused)).toBeGreaterThan(0);
  }, 900_000);

  /** Every payment that was acknowledged so far is told once, in order, on a stream that kept breaking. */
  async function told(through: ReconnectingReader): Promise<void> {
    const until = new Set(suite.acknowledgedPayments);
    const isTold = () => new Set(through.all.map(({ data }) => data.entityId)).isSupersetOf(until);
    await eventually("complete stream", () => Promise.resolve(isTold() || undefined)).catch(() => undefined);
    await through.close();
    const ids = through.frames.map(({ data }) => data.entityId);
    expect([...until.difference(new Set(ids))]).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(through.frames.map(sequenceOf)).toEqual(through.frames.map(sequenceOf).toSorted((one, other) => one - other));
    expect(through.resets).toBe(0);
    expect(through.connections).toBeGreaterThan(2);
  }

  test("would be missed: the checker counts what was invented, doubled or torn", async () => {
    fates = await readHistory(suite.history.file);
    const paid = [...fates.values()].find(({ operation, acknowledged }) => operation.kind === "charge" && acknowledged)!;
    const invented = { ...paid, operation: { ...paid.operation, key: "never asked" } };
    const spoilt = await asSuperuser(suite.system, "ledger", async (client) => {
      await client.query("begin");
      await client.query("set session_replication_role = replica");
      await client.query(`insert into charge select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).* from charge c where memo = $1`, [
        paid.operation.key,
      ]);
      await client.query("delete from payment_allocation where id = (select id from payment_allocation limit 1)");
      await client.query("update journal_line set debit_cents = debit_cents + 1 where id = (select id from journal_line where debit_cents > 0 limit 1)");
      const found = await check(client, new Map([...fates, [invented.operation.key, invented]]));
      await client.query("rollback");
      return found;
    });
    expect(spoilt.lost).toEqual(["charge never asked"]);
    expect(spoilt.doubled).toEqual([paid.operation.key]);
    expect(spoilt.partial.length).toBeGreaterThan(account.partial.length);
    expect(spoilt.trialBalance).toBe(1);
  });
});
