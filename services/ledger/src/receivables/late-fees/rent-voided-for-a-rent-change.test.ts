import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

// Rent of September 1,000 is unpaid, and its late fee of 50 is paid on September 10. The office voids the rent to enter 1,100 from September 1 on.
test("a month whose late fee was paid bears no second late fee when its rent is voided for a rent change", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-08-31", rentCents: 100_000 };
  const lateFee = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  const readCharges = async (chargeType: "rent" | "late_fee", dueAfter: string) => {
    const query = { leaseId: lease.id, chargeType: chargeType as never, dueAfter, dueBefore: "2025-09-30" };
    return (await office.call("listCharges", { query })).charges.filter(({ status }) => status !== "voided");
  };
  const allocations = [{ chargeId: (await readCharges("late_fee", "2025-09-05"))[0]!.id, amountCents: 5_000 }];
  const payment = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 5_000), receivedAt: "2025-09-10T17:00:00.000Z", allocations };
  await office.call("recordPayment", { body: payment });
  const [rent] = await readCharges("rent", "2025-09-01");
  await office.call("voidCharge", { params: { id: rent!.id }, body: { reason: "The rent changes." } });
  await office.call("createRentChange", { params: { id: lease.id }, body: { effectiveDate: "2025-09-01", rentCents: 110_000 } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await waitForIdleJobs("ledger", office);
  await office.call("assessLateFees", { body: { asOf: "2025-09-30" } });
  const fees = await readCharges("late_fee", "2025-09-05");
  expect(fees.map(({ dueDate, amountCents, status }) => [dueDate, amountCents, status])).toEqual([["2025-09-05", 5_000, "paid"]]);
});
