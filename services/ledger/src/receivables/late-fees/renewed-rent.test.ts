import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

// Rent of September 1,000 is unpaid, and its late fee of 50 is paid on September 10. The renewal that is entered afterwards starts on September 1.
test("a month whose late fee was paid bears no second late fee when a renewal charges its rent instead", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-08-31", rentCents: 100_000 };
  const lateFee = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  const readFees = async () => {
    const query = { tenantId: tenant.id, chargeType: "late_fee" as never, dueAfter: "2025-09-05", dueBefore: "2025-09-30" };
    return (await office.call("listCharges", { query })).charges.filter(({ status }) => status !== "voided");
  };
  const allocations = [{ chargeId: (await readFees())[0]!.id, amountCents: 5_000 }];
  const payment = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 5_000), receivedAt: "2025-09-10T17:00:00.000Z", allocations };
  await office.call("recordPayment", { body: payment });
  const body = { startDate: "2025-09-01", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await waitForIdleJobs("ledger", office);
  await office.call("assessLateFees", { body: { asOf: "2025-09-30" } });
  expect((await readFees()).map(({ dueDate, amountCents, status }) => [dueDate, amountCents, status])).toEqual([["2025-09-05", 5_000, "paid"]]);
});
