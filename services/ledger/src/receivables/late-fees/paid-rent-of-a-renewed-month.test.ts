/** Rent that was paid in time, for a month that a renewal charges again in part or in full. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

/** Returns a lease whose rent of 1,000 of October was paid on October 1, with 70 more, and functions that renew it at the same rent. */
async function aLeaseWithPaidRent() {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-09-30", rentCents: 100_000 };
  const lateFee = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  const readCharges = async (chargeType: "rent" | "late_fee") => {
    // The late fee of September is due on October 4.
    const query = {
      tenantId: tenant.id,
      chargeType,
      dueAfter: chargeType === "rent" ? "2025-10-01" : "2025-10-05",
      dueBefore: "2025-10-31",
      sortDirection: "asc" as const,
    };
    return (await office.call("listCharges", { query })).charges.filter(({ status }) => status !== "voided");
  };
  const allocations = [{ chargeId: (await readCharges("rent"))[0]!.id, amountCents: 100_000 }];
  const body = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 107_000), receivedAt: "2025-10-01T17:00:00.000Z", allocations };
  const { payment } = await office.call("recordPayment", { body });
  const renew = async (startDate: string) => {
    const renewed = { startDate, endDate: "2099-12-31", termType: "fixed" as const };
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: renewed });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  };
  const chargeOctober = async () => {
    await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
    await waitForIdleJobs("ledger", office);
    await office.call("assessLateFees", { body: { asOf: "2025-10-31" } });
  };
  const owed = async () => (await readCharges("rent")).map(({ dueDate, amountCents, balanceCents }) => [dueDate, amountCents, balanceCents]);
  const fees = async () => (await readCharges("late_fee")).map(({ dueDate, amountCents }) => [dueDate, amountCents]);
  const unallocatedCents = async () => (await office.call("getPayment", { params: { id: payment.id } })).payment.unallocatedCents;
  return { office, paymentId: payment.id, renew, chargeOctober, owed, fees, unallocatedCents };
}

test.each([
  [
    "within it",
    "2025-10-16",
    [
      ["2025-10-01", 48_387],
      ["2025-10-16", 51_613],
    ],
  ],
  ["on its first day", "2025-10-01", [["2025-10-01", 100_000]]],
] as const)("a month whose rent was paid in time stays paid and bears no late fee when a renewal starts %s", async (_, startDate, rents) => {
  const { office, paymentId, renew, chargeOctober, owed, fees, unallocatedCents } = await aLeaseWithPaidRent();
  await renew(startDate);
  await chargeOctober();
  expect(await owed()).toEqual(rents.map((rent) => [...rent, 0]));
  expect(await fees()).toEqual([]);
  expect(await unallocatedCents()).toBe(7_000);
  await office.call("reversePayment", { params: { id: paymentId }, body: { reason: "nsf" } });
  expect(await owed()).toEqual(rents.map((rent) => [...rent, rent[1]]));
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

// The renewal is activated, and 400 of the 1,070 are refunded before it charges October.
test("the rent of a renewal is settled with the money that was paid for its days, less what was refunded", async () => {
  const { office, paymentId, renew, chargeOctober, owed, fees, unallocatedCents } = await aLeaseWithPaidRent();
  await renew("2025-10-01");
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  await office.call("refundPayment", { params: { id: paymentId }, body: { amountCents: 40_000, method: "check", bankAccountId } });
  await chargeOctober();
  expect(await owed()).toEqual([["2025-10-01", 100_000, 33_000]]);
  expect(await fees()).toEqual([["2025-10-05", 5_000]]);
  expect(await unallocatedCents()).toBe(0);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});
