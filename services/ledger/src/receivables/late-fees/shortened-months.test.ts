/** Unpaid late fees of rent that is prorated afterwards. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

// Rent of September is due on the 1st, with 3 days of grace. It is unpaid, so on September 10 fees are owed since the 5th: 50 once, or 6 days at 10.
// The lease ends on September 20, so the rent is 666.67, of which 5 percent are 33.33.
test.each([
  { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, owedCents: 5_000 },
  { lateFeeType: "daily" as const, lateFeeAmountCents: 1_000, owedCents: 6_000 },
  { lateFeeType: "percent" as const, lateFeePercentBps: 500, owedCents: 3_333 },
])("a $lateFeeType late fee stays owed when the unpaid rent is prorated to a day after the fee", async ({ owedCents, ...lateFee }) => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-09-01", rentCents: 100_000 };
  const body = { ...terms, ...lateFee, lateFeeGraceDays: 3, termType: "month_to_month" as const, activate: true };
  const { lease } = await office.call("createLease", { body });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-09-20" } });
  await waitForIdleJobs("ledger", office);
  await withOwnerConnection(office, (owner) =>
    owner.query("insert into work_request (job, organization_id) values ('postDueCharges', $1)", [office.organizationId]),
  );
  await waitForIdleJobs("ledger", office);
  const query = { leaseId: lease.id, chargeType: "late_fee" as never, dueBefore: "2025-09-10", pageSize: 100 };
  const { charges } = await office.call("listCharges", { query });
  expect(charges.reduce((sum, { balanceCents }) => sum + balanceCents, 0)).toBe(owedCents);
});
