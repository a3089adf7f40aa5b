import { expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

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
