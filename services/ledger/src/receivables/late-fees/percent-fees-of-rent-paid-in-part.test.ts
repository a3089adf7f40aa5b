/** Percent late fees of rent of which a part was paid in time, by money that is recorded after the fee. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

// Rent of 1,000.00 is due on January 1, with a late fee of 5 % of what is open at the start of January 5. The tenant paid 600.00 on
// January 2, so 400.00 were open and the fee is 20.00, whether the office records the check before or after the run of the late fees.
test.each(["before", "after"])("an unpaid fee is 5 %% of what was open on its day when the money is recorded %s the run", async (order) => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const lateFee = { lateFeeType: "percent" as const, lateFeePercentBps: 500, lateFeeGraceDays: 3 };
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2026-01-01", rentCents: 100_000, createRecurringRent: false, ...lateFee };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const chargeId = await aCharge(office, lease.id, 100_000, "2026-01-01");
  const assess = () => office.call("assessLateFees", { body: { asOf: "2026-01-20" } });
  const body = {
    ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 60_000),
    receivedAt: "2026-01-02T16:00:00.000Z",
    allocations: [{ chargeId, amountCents: 60_000 }],
  };
  if (order === "after") await assess();
  await office.call("recordPayment", { body });
  if (order === "before") await assess();
  await waitForIdleJobs("ledger", office);
  await assess();
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, chargeType: "late_fee" } });
  expect(charges.reduce((sum, { balanceCents }) => sum + balanceCents, 0)).toBe(2_000);
});
