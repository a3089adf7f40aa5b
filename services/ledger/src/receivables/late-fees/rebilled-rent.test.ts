import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

// Rent of September 1,000 and its late fee of 50 are paid on September 10. The lease is terminated on September 15, which replaces the rent.
test("rent that is prorated after its late fee was paid bears no second late fee", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-09-01", rentCents: 100_000 };
  const lateFee = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  const payment = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 105_000), receivedAt: "2025-09-10T17:00:00.000Z", autoAllocate: true };
  await office.call("recordPayment", { body: payment });
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-09-15" } });
  await waitForIdleJobs("ledger", office);
  await office.call("assessLateFees", { body: {} });
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, chargeType: "late_fee" as never, dueBefore: "2025-09-30" } });
  expect(charges.map(({ dueDate, amountCents, status }) => [dueDate, amountCents, status])).toEqual([["2025-09-05", 5_000, "paid"]]);
});
