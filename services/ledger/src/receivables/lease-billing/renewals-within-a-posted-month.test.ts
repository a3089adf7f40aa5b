/** A renewal that takes over a month-to-month lease on a day for which the old lease has posted rent or fees. */
import { expect, test } from "@jest/globals";
import { addMonths, daysInMonth, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice, waitForDailyJobs } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

// November at 1,000 is posted in full. The renewal at 1,100 starts on November 16: 1,000 × 15 / 30 = 500 and 1,100 × 15 / 30 = 550.
test("a renewal bills every day once: the posted rent of the old lease is prorated up to the day before, and its later fees are voided", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, rentCents: 100_000 };
  const { lease } = await office.call("createLease", { body: { ...terms, startDate: "2025-11-01", termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 7_500, categoryId, dayOfMonth: 20, startDate: "2025-11-01", kind: "fee" as const, label: "Parking", postMissed: true };
  await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  await office.call("postDueCharges", { body: { throughDate: "2025-11-30" } });
  const { lease: renewal } = await office.call("renewLease", {
    params: { id: lease.id },
    body: { startDate: "2025-11-16", endDate: "2099-12-31", termType: "fixed", rentCents: 110_000 },
  });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("postDueCharges", { body: { throughDate: "2025-11-30" } });
  const charges = [];
  for (const leaseId of [lease.id, renewal.id]) charges.push(...(await office.call("listCharges", { query: { leaseId, dueBefore: "2025-11-30" } })).charges);
  const live = charges.filter(({ status }) => status !== "voided").map(({ chargeType, dueDate, amountCents }) => `${chargeType} ${dueDate} ${amountCents}`);
  expect(live.sort()).toEqual(["fee 2025-11-20 7500", "rent 2025-11-01 50000", "rent 2025-11-16 55000"]);
});

/** Creates a month-to-month lease of 1,000 since 2025, charged through the month after the next, and a drafted renewal from a day of that month. */
async function aRenewalOfPostedRent(dayOfMonth: number) {
  const office = await anOffice();
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { propertyId, unitId, tenantId, rentCents: 100_000, startDate: "2025-01-01", termType: "month_to_month" as const, activate: true };
  const leaseId = (await office.call("createLease", { body: terms })).lease.id;
  const month = addMonths(startOfMonth(todayInOffice()), 2);
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(month) } });
  const body = { startDate: withDayOfMonth(month, dayOfMonth), endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: leaseId }, body });
  const live = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId, dueAfter: month, sortDirection: "asc" } });
    return charges.filter(({ status }) => status !== "voided").map(({ periodStart, periodEnd, amountCents }) => [periodStart, periodEnd, amountCents]);
  };
  return { office, month, leaseId, tenantId, renewalId: renewal.id, live };
}

test("a renewal voids rent that was posted ahead for its first month, which is charged again when the renewal is cancelled", async () => {
  const { office, month, renewalId, live } = await aRenewalOfPostedRent(1);
  expect(await live()).toEqual([[month, endOfMonth(month), 100_000]]);
  await office.call("activateLease", { params: { id: renewalId }, body: {} });
  expect(await live()).toEqual([]);
  await office.call("cancelLease", { params: { id: renewalId } });
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(month) } });
  expect(await live()).toEqual([[month, endOfMonth(month), 100_000]]);
});

test("the old lease is charged for the days of a cancelled renewal", async () => {
  const { office, month, renewalId, live } = await aRenewalOfPostedRent(11);
  await office.call("activateLease", { params: { id: renewalId }, body: {} });
  const partCents = Math.round((100_000 * 10) / daysInMonth(month));
  expect(await live()).toEqual([[month, withDayOfMonth(month, 10), partCents]]);
  await office.call("cancelLease", { params: { id: renewalId } });
  expect(await live()).toEqual([
    [month, withDayOfMonth(month, 10), partCents],
    [withDayOfMonth(month, 11), endOfMonth(month), 100_000 - partCents],
  ]);
});

// The first month of the lease, at 1,000, is charged in full. The lease is renewed from October 16 at the same rent: October costs
// 15/31 (483.87) on the old lease and 16/31 (516.13) on the renewal.
test("a renewal is charged for its own days only, also when the first month of the lease before it was charged in full", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-09-16", rentCents: 100_000, prorateFirstMonth: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  const body = { startDate: "2025-10-16", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, dueAfter: "2025-10-01", dueBefore: "2025-10-31" } });
  const live = charges.filter(({ status }) => status !== "voided").toSorted((a, b) => (a.dueDate < b.dueDate ? -1 : 1));
  expect(live.map(({ periodStart, amountCents }) => [periodStart, amountCents])).toEqual([
    ["2025-10-01", 48_387],
    ["2025-10-16", 51_613],
  ]);
});

test("rent that was paid ahead stays paid when the renewal within its month is cancelled", async () => {
  const { office, month, leaseId, tenantId, renewalId } = await aRenewalOfPostedRent(11);
  const readRents = async () => (await office.call("listCharges", { query: { leaseId, dueAfter: month } })).charges.filter(({ status }) => status !== "voided");
  const allocations = [{ chargeId: (await readRents())[0]!.id, amountCents: 100_000 }];
  const { payment } = await office.call("recordPayment", { body: { ...aPayment({ tenantId, leaseId }, 100_000), allocations } });
  await office.call("activateLease", { params: { id: renewalId }, body: {} });
  await office.call("cancelLease", { params: { id: renewalId } });
  expect((await readRents()).map(({ balanceCents }) => balanceCents)).toEqual([0, 0]);
  expect((await office.call("getPayment", { params: { id: payment.id } })).payment.unallocatedCents).toBe(0);
});
