/**
 * The ledger is killed in the middle of bulk charges, the close of a period and an assessment of late fees. Afterwards each transaction has
 * all of its effects or none, a repeated request completes the work, and nothing is posted twice. A locked table holds the request at its
 * first write, or with everything written but its events. Starts its own system with fsync on.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { closeMonth, periodOf } from "../../services/ledger/src/periods/periods.fixtures.ts";
import { eventually } from "../support/eventually.ts";
import { anOffice, type Office } from "../support/office.ts";
import { testSettings } from "../support/settings.ts";
import { aCharge, aTenancy, closingBalances } from "../support/tenancy.ts";
import { asSuperuser, brokenInvariants } from "./faults/invariants.ts";

const BULK_COUNT = 500;
/** Numbers of late fees in the two transactions of an assessment. */
const [FULL_BATCH, LAST_BATCH] = [50, 5];
const TIMEOUT_MS = 180_000;

const dataDir = mkdtempSync(join(tmpdir(), "freehold-interrupted-"));
const statistics = { kills: 0, none: 0, some: 0, all: 0 };
let system: System;

beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "on", environment: testSettings });
}, TIMEOUT_MS);
afterAll(async () => {
  const { kills, none, some, all } = statistics;
  process.stdout.write(`kills=${kills} none=${none} batches=${some} all=${all}\n`);
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Signs up an organization whose daily jobs have run, so that only requests post. */
async function anIdleOffice(): Promise<Office> {
  const office = await anOffice(system.baseUrl);
  await asSuperuser(system, "ledger", (client) =>
    eventually("daily jobs", async () => {
      const { rows } = await client.query<{ isIdle: boolean }>(
        `select count(*) > 0 and bool_and(next_run_at > now()) and not exists (select from work_request where organization_id = $1) as "isIdle"
          from scheduled_work where organization_id = $1`,
        [office.organizationId],
      );
      return rows[0]!.isIdle;
    }),
  );
  return office;
}

/** Signs up an organization and creates a lease; false while identity or portfolio does not reach the ledger. */
const reachesLedger = (): Promise<boolean> =>
  anOffice(system.baseUrl)
    .then((office) => aTenancy(office))
    .then(
      () => true,
      () => false,
    );

/** Kills the ledger while a request waits for a table that a test has locked. Returns once the restarted ledger responds, also to identity and portfolio. */
async function killWhileLocked(office: Office, table: string, start: () => Promise<unknown>): Promise<void> {
  const { pid } = system.children.get("ledger")!;
  await asSuperuser(system, "ledger", async (client) => {
    await client.query(`begin; lock table ${table} in share row exclusive mode`);
    const request = start().catch(() => undefined);
    await eventually(`transaction that waits for ${table}`, async () => {
      const { rowCount } = await client.query("select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))");
      return rowCount! > 0;
    });
    process.kill(pid!, "SIGKILL");
    await client.query("commit");
    await request;
  });
  statistics.kills++;
  await eventually("restarted ledger", async () => system.children.get("ledger")!.pid !== pid && (await office.attempt("listCategories")).status === 200);
  await eventually("services that reach the restarted ledger", reachesLedger);
  // The backend of the killed process still finishes or rolls back its transaction.
  await asSuperuser(system, "ledger", (client) =>
    eventually("end of the interrupted transaction", async () => {
      const { rowCount } = await client.query("select from pg_stat_activity where datname = current_database() and xact_start < now() - interval '2 seconds'");
      return rowCount === 0;
    }),
  );
}

/** Counts an outcome: nothing, whole batches, or everything. */
function countOutcome(done: number, total: number): void {
  statistics[done === 0 ? "none" : done === total ? "all" : "some"]++;
}

/** Returns the number of events of a type that the ledger has stored for an organization. */
const countEvents = (office: Office, type: string): Promise<number> =>
  asSuperuser(system, "ledger", async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from outbox where envelope ->> 'type' = $1 and envelope ->> 'organizationId' = $2",
      [type, office.organizationId],
    );
    return rows[0]!.count;
  });

describe("a ledger that is killed", () => {
  test.each(["charge", "outbox"])(
    "in the middle of bulk charges, at the table %s, has posted all of them or none, and the repeated request posts them once",
    async (table) => {
      const office = await anIdleOffice();
      const { leaseId } = await aTenancy(office);
      const charge = { leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "fee" as const };
      const headers = { "Idempotency-Key": randomUUID() };
      const create = () => office.attempt("createCharges", { body: { charges: Array.from({ length: BULK_COUNT }, () => charge) }, headers });
      const count = async () => (await office.call("listCharges", { query: { leaseId, pageSize: 1 } })).total;
      await killWhileLocked(office, table, create);

      const posted = await count();
      expect([0, BULK_COUNT]).toContain(posted);
      countOutcome(posted, BULK_COUNT);
      expect((await closingBalances(office))["1100"] ?? 0).toBe(posted * 100);
      const repeated = await create();
      expect([repeated.status, repeated.body.charges.length, repeated.body.errors]).toEqual([200, BULK_COUNT, []]);
      expect([await count(), (await closingBalances(office))["1100"]]).toEqual([BULK_COUNT, BULK_COUNT * 100]);
    },
    TIMEOUT_MS,
  );

  test.each(["accounting_period", "outbox"])(
    "in the middle of the close of a period, at the table %s, has closed it or not, and the repeated request closes it once",
    async (table) => {
      const office = await anIdleOffice();
      const { leaseId } = await aTenancy(office);
      await aCharge(office, leaseId, 100, "2026-01-01");
      const { id } = await periodOf(office, "2026-01");
      await killWhileLocked(office, table, () => office.attempt("closeAccountingPeriod", { params: { id }, body: { force: true } }));

      const { status } = await periodOf(office, "2026-01");
      expect(["open", "closed"]).toContain(status);
      countOutcome(status === "closed" ? 1 : 0, 1);
      expect(await countEvents(office, "period.closed")).toBe(status === "closed" ? 1 : 0);
      if (status === "open") await closeMonth(office, "2026-01");
      const again = await office.attempt("closeAccountingPeriod", { params: { id }, body: { force: true } });
      expect([again.status, (await periodOf(office, "2026-01")).status]).toEqual([409, "closed"]);
      expect(await countEvents(office, "period.closed")).toBe(1);
      const late = await office.attempt("createCharge", { body: { leaseId, amountCents: 50, dueDate: "2026-01-15", chargeType: "fee" } });
      expect([late.status, late.body.code]).toEqual([409, "period_closed"]);
    },
    TIMEOUT_MS,
  );

  test.each(["charge", "outbox"])(
    "in the middle of an assessment of late fees, at the table %s, has charged whole batches, and the repeated request charges the others once",
    async (table) => {
      const office = await anIdleOffice();
      const { leaseId } = await aTenancy(office);
      await office.call("updateLease", { params: { id: leaseId }, body: { lateFeeType: "flat", lateFeeAmountCents: 500, lateFeeGraceDays: 0 } });
      const rent = { leaseId, amountCents: 10_000, dueDate: "2026-01-01", chargeType: "rent" as const };
      const count = FULL_BATCH + LAST_BATCH;
      await office.call("createCharges", { body: { charges: Array.from({ length: count }, () => rent) } });
      const assess = () => office.attempt("assessLateFees", { body: { asOf: "2026-01-06" } });
      const fees = async () => (await office.call("listCharges", { query: { leaseId, chargeType: "late_fee", pageSize: 100 } })).charges;
      await killWhileLocked(office, table, assess);

      const charged = (await fees()).length;
      expect([0, LAST_BATCH, FULL_BATCH, count]).toContain(charged);
      countOutcome(charged, count);
      expect((await assess()).status).toBe(200);
      expect((await assess()).status).toBe(200);
      const all = await fees();
      expect([all.length, new Set(all.map(({ lateFeeForChargeId }) => lateFeeForChargeId)).size]).toEqual([count, count]);
      expect((await closingBalances(office))["1100"]).toBe(count * 10_500);
    },
    TIMEOUT_MS,
  );

  test("leaves books in which no invariant is violated", async () => {
    const broken = await eventually("publication of the events", async () => {
      const found = await brokenInvariants(system);
      return found.some((violation) => violation.includes("every event is published")) ? undefined : found;
    });
    expect(broken).toEqual([]);
  });
});
