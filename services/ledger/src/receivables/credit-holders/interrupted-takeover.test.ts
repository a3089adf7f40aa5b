/** Takeover of the money of a lease by its renewal: a takeover that is interrupted by the loss of the database connections is finished later. */
import { expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { recordEvents, todayInOffice, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

/** Creates a lease with a credit of 300 and its renewal, which is pending until tomorrow. */
async function aPendingRenewal() {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, startDate: "2025-01-01", termType: "month_to_month", activate: true } });
  const { payment } = await office.call("recordPayment", { body: aPayment({ tenantId: tenant.id, leaseId: lease.id }, 300) });
  const body = { startDate: addDays(todayInOffice(), 1), termType: "month_to_month" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: { ...body, endDate: "2099-12-31" } });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  const balances = async () => Promise.all([lease.id, renewal.id].map(async (id) => (await office.call("getLease", { params: { id } })).lease.balanceCents));
  expect(await balances()).toEqual([-300, 0]);
  // The daily job of portfolio starts the renewal, and its event reaches the ledger.
  const start = () => office.call("updateLease", { params: { id: renewal.id }, body: { startDate: todayInOffice() } });
  return { office, renewalId: renewal.id, paymentId: payment.id, balances, start };
}

/** Waits until the daily job of portfolio has activated the renewal and its event is published. */
const waitForActivation = (office: Office, id: string) =>
  eventually("event of the activation", async () => {
    const client = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
    await client.connect();
    try {
      await client.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
      const { rows } = await client.query<{ status: string }>("select status from lease where id = $1", [id]);
      const unsent = await client.query("select from unpublished_event where organization_id = $1", [office.organizationId]);
      return rows[0]?.status === "active" && unsent.rowCount === 0;
    } finally {
      await client.end();
    }
  });

/** Waits until the ledger has consumed all events of the office and its retry queue is empty. */
async function waitForEvents(office: Office): Promise<void> {
  const events = await recordEvents(office);
  try {
    await events.waitUntilConsumed();
    await withOwnerConnection(office, (owner) =>
      eventually(
        "empty retry queue",
        async () => (await owner.query("select from parked_event where organization_id = $1", [office.organizationId])).rowCount === 0,
      ),
    );
  } finally {
    await events.close();
  }
}

test("control: a renewal that begins early takes over the credit of its lease", async () => {
  const { office, renewalId, balances, start } = await aPendingRenewal();
  await start();
  await waitForActivation(office, renewalId);
  await waitForEvents(office);
  expect(await balances()).toEqual([0, -300]);
});

test("a renewal that begins while the ledger loses its connections takes over the credit of its lease later", async () => {
  const { office, paymentId, balances, start } = await aPendingRenewal();
  await withLockedRow(office, "payment", paymentId, async (row) => {
    const starting = start();
    await row.waitForWaiters(1);
    expect(await row.breakWaiters()).toBeGreaterThan(0);
    await row.release();
    await starting;
  });
  await waitForEvents(office);
  expect(await balances()).toEqual([0, -300]);
}, 120_000);

/** Runs the work while another transaction locks the billing of a lease. `waitForStatus` waits for a status of the projected lease. */
const duringBillingLock = (office: Office, leaseId: string, work: (waitForStatus: (status: string) => Promise<unknown>) => Promise<void>) =>
  withOwnerConnection(office, async (owner) => {
    await owner.query("begin");
    await owner.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [leaseId]);
    await work((status) =>
      eventually(`projected lease with the status ${status}`, async () => {
        const { rows } = await owner.query<{ status: string }>("select status from lease_copy where id = $1", [leaseId]);
        return rows[0]!.status === status;
      }),
    );
    await owner.query("commit");
  });

test("a renewal that the office changes before the ledger has received its activation takes over the credit of its lease", async () => {
  const { office, renewalId, balances, start } = await aPendingRenewal();
  await duringBillingLock(office, renewalId, async (waitForStatus) => {
    const starting = start();
    await waitForActivation(office, renewalId);
    const change = office.attempt("updateLease", { params: { id: renewalId }, body: { rentChargeDay: 2 } });
    await waitForStatus("active");
    void Promise.all([starting, change]);
  });
  await waitForEvents(office);
  expect(await balances()).toEqual([0, -300]);
}, 120_000);
