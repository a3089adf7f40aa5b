/** Payments that are recorded for a lease while its renewal takes over: they read the lease before the takeover and commit after it. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { recordEvents } from "../../../test/ledger.fixtures.ts";
import { openLedger, paymentOf, type TestLedger } from "../../../test/payment-batch.fixtures.ts";
import type { PaymentBody } from "../payments/prepare-payment.ts";

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

/** Waits until the ledger has consumed the events of the office, each of which raises the version of a lease in the projection. */
async function waitForEvents(office: Office): Promise<void> {
  const portfolio = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
  const events = await recordEvents(office);
  await portfolio.connect();
  try {
    await portfolio.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    const countUnpublished = async () => (await portfolio.query("select from unpublished_event where organization_id = $1", [office.organizationId])).rowCount;
    await eventually("publication of the events", async () => (await countUnpublished()) === 0);
    await events.waitUntilConsumed();
  } finally {
    await Promise.all([portfolio.end(), events.close()]);
  }
}

/** Creates a lease and its renewal from June 1 on, which `takeOver` activates. With `isRenewedTwice`, another renewal is active from March 1 on. */
async function aRenewedLease(isRenewedTwice = false) {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false, startDate: "2026-01-01" };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const renew = async (id: string, startDate: string, endDate: string) =>
    (await office.call("renewLease", { params: { id }, body: { startDate, endDate, termType: "month_to_month" } })).lease;
  const activate = (id: string) => office.call("activateLease", { params: { id }, body: {} });
  const predecessor = isRenewedTwice ? await renew(lease.id, "2026-03-01", "2026-05-31") : lease;
  if (isRenewedTwice) await activate(predecessor.id);
  const renewal = await renew(predecessor.id, "2026-06-01", "2099-12-31");
  await waitForEvents(office);
  const body: PaymentBody = { ...paymentOf({ tenantId: tenant.id, leaseId: lease.id }, 300), receivedAt: "2026-05-10T15:00:00.000Z" };
  const balanceOf = async (id: string) => (await office.call("listLeaseLedger", { params: { id }, query: { asOf: "2026-06-01" } })).closingBalanceCents;
  return {
    office,
    body,
    takeOver: () => activate(renewal.id),
    balances: () => Promise.all([balanceOf(predecessor.id), balanceOf(renewal.id)]),
  };
}

/**
 * Runs the work in a transaction of the tables' owner. `waitFor` waits until this transaction blocks `count` others, directly or not, or
 * until `isOver` returns true.
 */
async function withTransaction(work: (client: pg.Client, waitFor: (count: number, isOver?: () => boolean) => Promise<unknown>) => Promise<void>) {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    await client.query("begin");
    await work(client, (count, isOver = () => false) =>
      eventually(`${count} transactions that wait`, async () => {
        const { rowCount } = await client.query(`with recursive waiting as (
            select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
            union select behind.pid from waiting join pg_locks behind on not behind.granted and waiting.pid = any(pg_blocking_pids(behind.pid)))
          select from waiting`);
        return isOver() || rowCount! >= count;
      }),
    );
  } finally {
    await client.end();
  }
}

/** Starts a takeover, and returns its promise and a state that tells when it is over. */
function startTakeover(takeOver: () => Promise<unknown>) {
  const state = { isOver: false };
  return { state, taken: takeOver().finally(() => (state.isOver = true)) };
}

const recordPayment = (office: Office, body: PaymentBody) => office.call("recordPayment", { body });

test("control: credit that is recorded before the takeover belongs to the renewal from its start", async () => {
  const { office, body, takeOver, balances } = await aRenewedLease();
  await recordPayment(office, body);
  await takeOver();
  expect(await balances()).toEqual([0, -300]);
});

test.each([
  ["the lease", false],
  ["an earlier lease of the tenancy", true],
])("credit of a payment that reads %s before the takeover and commits after it belongs to the renewal from its start", async (_name, isRenewedTwice) => {
  const { office, body, takeOver, balances } = await aRenewedLease(isRenewedTwice);
  await withTransaction(async (client, waitFor) => {
    // Blocks the posting, as the close of a period does.
    await client.query("select pg_advisory_xact_lock(period_lock_key($1))", [office.organizationId]);
    const payment = recordPayment(office, body);
    await waitFor(1);
    const { state, taken } = startTakeover(takeOver);
    await waitFor(2, () => state.isOver);
    await client.query("commit");
    await Promise.all([payment, taken]);
  });
  expect(await balances()).toEqual([0, -300]);
});

test("a batch of payments that read a lease before its takeover is not recorded after it", async () => {
  const { office, body, takeOver } = await aRenewedLease();
  const { text, values } = await ledger.prepare({ office, body });
  await takeOver();
  await expect(ledger.pool.query(text, values)).rejects.toMatchObject({ code: "40001" });
});

test("credit of a batch that is written before the takeover and commits after belongs to the renewal from its start", async () => {
  const { office, body, takeOver, balances } = await aRenewedLease();
  const { text, values } = await ledger.prepare({ office, body });
  await withTransaction(async (client, waitFor) => {
    await client.query(text, values);
    const { state, taken } = startTakeover(takeOver);
    await waitFor(1, () => state.isOver);
    await client.query("commit");
    await taken;
  });
  expect(await balances()).toEqual([0, -300]);
});
