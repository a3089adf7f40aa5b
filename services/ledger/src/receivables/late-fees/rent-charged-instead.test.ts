/** Late fees of a month whose rent is charged by another recurring charge instead. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

/** Creates a lease with unpaid rent of 1,000 of September and a late fee paid on September 10, and functions that charge that rent again. */
async function aLeaseWithPaidLateFee() {
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
    const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, chargeType, dueAfter, dueBefore: "2025-09-30" } });
    return charges.filter(({ status }) => status !== "voided");
  };
  const allocations = [{ chargeId: (await readCharges("late_fee", "2025-09-05"))[0]!.id, amountCents: 5_000 }];
  const payment = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 5_000), receivedAt: "2025-09-10T17:00:00.000Z", allocations };
  await office.call("recordPayment", { body: payment });
  return {
    renew: async () => {
      const body = { startDate: "2025-09-01", endDate: "2099-12-31", termType: "fixed" as const };
      const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
      await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    },
    changeRent: async () => {
      const [rent] = await readCharges("rent", "2025-09-01");
      await office.call("voidCharge", { params: { id: rent!.id }, body: { reason: "The rent changes." } });
      await office.call("createRentChange", { params: { id: lease.id }, body: { effectiveDate: "2025-09-01", rentCents: 110_000 } });
    },
    /** Posts the rent of September, assesses late fees and returns those of the month. */
    chargeSeptember: async () => {
      await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
      await waitForIdleJobs("ledger", office);
      await office.call("assessLateFees", { body: { asOf: "2025-09-30" } });
      return (await readCharges("late_fee", "2025-09-05")).map(({ dueDate, amountCents, status }) => [dueDate, amountCents, status]);
    },
  };
}

test("a month whose late fee was paid bears no second late fee when a renewal charges its rent instead", async () => {
  const { renew, chargeSeptember } = await aLeaseWithPaidLateFee();
  await renew();
  expect(await chargeSeptember()).toEqual([["2025-09-05", 5_000, "paid"]]);
});

test("a month whose late fee was paid bears no second late fee when its rent is voided for a rent change", async () => {
  const { changeRent, chargeSeptember } = await aLeaseWithPaidLateFee();
  await changeRent();
  expect(await chargeSeptember()).toEqual([["2025-09-05", 5_000, "paid"]]);
});
