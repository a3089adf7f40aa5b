import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

// Rent of September was due on the 1st; the office moved the due date to August 25. The lease is terminated on September 15.
test("rent that is prorated stays due on an agreed day before its month", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2025-08-01", createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const readRent = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId, dueAfter: "2025-08-02", dueBefore: "2025-09-30" } });
    return charges.filter(({ status }) => status !== "voided");
  };
  const [rent] = await readRent();
  await office.call("updateCharge", { params: { id: rent!.id }, body: { dueDate: "2025-08-25" } });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-09-15" } });
  expect((await readRent()).map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([["2025-08-25", 50_000]]);
});

/** Returns a lease with a fee of 50 that is due on the 20th, and on October 5 by agreement, and a function that reads its charges of October. */
async function aLeaseWithAgreedFee() {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const premises = { propertyId: first.propertyId, unitId: first.unitId, tenantId: first.tenantId };
  const term = { startDate: "2025-09-01", rentCents: 100_000, createRecurringRent: false, activate: true, termType: "month_to_month" as const };
  const leaseId = (await office.call("createLease", { body: { ...premises, ...term } })).lease.id;
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 20, startDate: "2025-09-01", kind: "fee" as const, label: "Parking", postMissed: true };
  await office.call("createRecurringCharge", { body: { leaseId, ...fee } });
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  const october = { dueAfter: "2025-10-01", dueBefore: "2025-10-31" };
  const { charges } = await office.call("listCharges", { query: { leaseId, ...october } });
  await office.call("updateCharge", { params: { id: charges[0]!.id }, body: { dueDate: "2025-10-05" } });
  const readOctober = async (id: string) => {
    const { charges } = await office.call("listCharges", { query: { leaseId: id, ...october } });
    return charges.filter(({ status }) => status !== "voided").map(({ dueDate, amountCents }) => [dueDate, amountCents]);
  };
  return { office, leaseId, readOctober };
}

test("a fee that is due on an agreed day before the end of its lease stays owed, also when its regular day lies after the end", async () => {
  const { office, leaseId, readOctober } = await aLeaseWithAgreedFee();
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-10-15" } });
  expect(await readOctober(leaseId)).toEqual([["2025-10-05", 5_000]]);
});

// The renewal starts on October 15, between the agreed and the regular due date of the fee.
test("a fee that was due on an agreed day before the renewal is not charged again by the renewal", async () => {
  const { office, leaseId, readOctober } = await aLeaseWithAgreedFee();
  const body = { startDate: "2025-10-15", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: leaseId }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  expect([...(await readOctober(leaseId)), ...(await readOctober(renewal.id))]).toEqual([["2025-10-05", 5_000]]);
});
