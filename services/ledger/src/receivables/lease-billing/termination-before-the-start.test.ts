import { expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

/** Lets the ledger forget that it has billed a lease, as if it had been unavailable when the lease was activated and the event had not arrived. */
async function forgetBilling(office: Office, leaseId: string): Promise<void> {
  await withOwnerConnection(office, async (ledger) => {
    await ledger.query("delete from recurring_charge_rule where lease_id = $1", [leaseId]);
    await ledger.query("update lease_copy set billing_started_at = null, billing_started_as = null where id = $1", [leaseId]);
  });
  const portfolio = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
  await portfolio.connect();
  try {
    await portfolio.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    await portfolio.query("update lease set bill_from = null where id = $1", [leaseId]);
  } finally {
    await portfolio.end();
  }
}

// Until the test forgets the billing, the ledger charges nothing, because another system bills the lease until 2099.
test("a lease that is terminated before the ledger has learned of its activation is charged until its termination", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { startDate: "2025-09-01", endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, billFrom: "2099-01-01" };
  const { lease } = await office.call("createLease", { body: { propertyId, unitId, tenantId, ...terms, activate: true } });
  await forgetBilling(office, lease.id);
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-11-20" } });
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, sortBy: "dueDate", sortDirection: "asc" } });
  expect(charges.map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([
    ["2025-09-01", 100_000],
    ["2025-10-01", 100_000],
    ["2025-11-01", 66_667],
  ]);
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: lease.id } });
  expect(recurringChargeRules.map(({ status }) => status)).toEqual(["ended"]);
});

// A fee of 50 on the unit is due on September 1, the first day of a lease that is terminated on that day, and of the lease after it.
test("a fee on a unit that a lease made by mistake was charged is charged to the lease that holds the unit on the day", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { unitId, amountCents: 5_000, categoryId, dayOfMonth: 1, startDate: "2025-09-01", kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: { ...fee, postMissed: true } });
  const aLease = async () => {
    const terms = { propertyId, unitId, tenantId, startDate: "2025-09-01", rentCents: 0, createRecurringRent: false, termType: "month_to_month" as const };
    const { lease } = await office.call("createLease", { body: { ...terms, activate: true } });
    await office.call("postDueCharges", { body: {} });
    return lease.id;
  };
  const readFees = async (leaseId: string) =>
    (await office.call("listCharges", { query: { leaseId, dueBefore: "2025-09-30" } })).charges
      .filter(({ status }) => status !== "voided")
      .map(({ dueDate, amountCents }) => [dueDate, amountCents]);
  const mistakeId = await aLease();
  expect(await readFees(mistakeId)).toEqual([["2025-09-01", 5_000]]);
  await office.call("terminateLease", { params: { id: mistakeId }, body: { terminationDate: "2025-09-01", finalRent: "none" } });
  const leaseId = await aLease();
  expect([await readFees(mistakeId), await readFees(leaseId)]).toEqual([[], [["2025-09-01", 5_000]]]);
});
