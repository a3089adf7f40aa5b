/** Billing of pending leases that are activated before their start date. */
import { expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { todayInOffice, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

const today = todayInOffice();
const agreedStart = addDays(today, 40);
const terms = { startDate: agreedStart, endDate: "2099-12-31", termType: "fixed" as const };
const rulesOf = async (office: Office, leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const activateToday = (office: Office, id: string) => office.attempt("activateLease", { params: { id }, body: { activateOn: today } });

/** Signs a lease of an empty unit that starts on the agreed day, with a monthly fee. */
async function aPendingLease(office: Office) {
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const body = { propertyId, unitId, tenantId: tenant.id, rentCents: 100_000, ...terms, activate: true };
  const { lease } = await office.call("createLease", { body });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { leaseId: lease.id, amountCents: 5_000, categoryId, dayOfMonth: 1, startDate: agreedStart, kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: fee });
  return lease;
}

test("rent and fees begin with the day of the activation", async () => {
  const office = await anOffice();
  const { id } = await aPendingLease(office);
  expect((await activateToday(office, id)).body.lease).toMatchObject({ status: "active", startDate: today });
  expect((await rulesOf(office, id)).map(({ startDate, status }) => [startDate, status])).toEqual([
    [today, "active"],
    [today, "active"],
  ]);
});

test("the rent of the renewed lease ends on the day before", async () => {
  const office = await anOffice();
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const premises = { propertyId, unitId, tenantId, startDate: addDays(today, -40), rentCents: 90_000 };
  const { lease } = await office.call("createLease", { body: { ...premises, termType: "month_to_month", activate: true } });
  const leaseId = lease.id;
  const { lease: renewal } = await office.call("renewLease", { params: { id: leaseId }, body: terms });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  expect((await activateToday(office, renewal.id)).body).toMatchObject({ lease: { status: "active" } });
  expect((await rulesOf(office, renewal.id)).map(({ startDate }) => startDate)).toEqual([today]);
  expect((await rulesOf(office, leaseId)).map(({ endDate }) => endDate)).toEqual([addDays(today, -1)]);
});

test("rent that was posted and paid ahead is charged once for each day, and the money settles it", async () => {
  const office = await anOffice();
  const { id: leaseId, tenantId } = await aPendingLease(office);
  const lastDay = endOfMonth(agreedStart);
  const post = () => office.call("postDueCharges", { body: { throughDate: lastDay } });
  const findLiveCharges = async () =>
    (await office.call("listCharges", { query: { leaseId, pageSize: 100 } })).charges.filter(({ status }) => status !== "voided");
  await post();
  const postedAhead = await findLiveCharges();
  const paidCents = postedAhead.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const allocations = postedAhead.map(({ id: chargeId, amountCents }) => ({ chargeId, amountCents }));
  await office.call("recordPayment", { body: { ...aPayment({ tenantId, leaseId }, paidCents), allocations } });
  expect((await activateToday(office, leaseId)).status).toBe(200);
  await post();
  const charges = await findLiveCharges();
  const periods = charges
    .filter(({ chargeType }) => chargeType === "rent")
    .map(({ periodStart, periodEnd }) => ({ start: periodStart!, end: periodEnd! }))
    .toSorted((one, other) => (one.start < other.start ? -1 : 1));
  expect(periods.map(({ start }) => start)).toEqual([today, ...periods.slice(0, -1).map(({ end }) => addDays(end, 1))]);
  expect(periods.at(-1)!.end).toBe(lastDay);
  const { payments } = await office.call("listPayments", { query: { leaseId } });
  const unallocatedCents = payments.reduce((sum, payment) => sum + payment.unallocatedCents, 0);
  expect(charges.reduce((sum, { allocatedCents }) => sum + allocatedCents, unallocatedCents)).toBe(paidCents);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

const firstOfMonth = (months: number) => addMonths(startOfMonth(today), months);

/** Returns due date and amount of the fees of a lease that are due after today, once they are posted through three months ahead. */
async function laterFees(office: Office, leaseId: string) {
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(firstOfMonth(3)) } });
  const query = { leaseId, chargeType: "fee" as const, sortBy: "dueDate" as const, sortDirection: "asc" as const };
  const { charges } = await office.call("listCharges", { query });
  return charges.filter(({ status, dueDate }) => status !== "voided" && dueDate > today).map(({ dueDate, amountCents }) => [dueDate, amountCents]);
}

/** Creates a lease with a monthly fee, and its renewal on the first of the third month from now, which charges no rent. */
async function aRenewalWithFee(fee: object, change?: object) {
  const office = await anOffice();
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const premises = { propertyId, unitId, tenantId, startDate: addDays(today, -40), rentCents: 90_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...premises, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const body = { leaseId: lease.id, amountCents: 5_000, categoryId, dayOfMonth: 1, startDate: firstOfMonth(0), kind: "fee" as const, label: "Parking", ...fee };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body });
  if (change) await office.call("updateRecurringCharge", { params: { id: recurringChargeRule.id }, body: change });
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: { ...terms, startDate: firstOfMonth(3) } });
  return { office, id: renewal.id, leaseId: lease.id, feeId: recurringChargeRule.id };
}

test.each(["draft", "pending"])("a fee that ends before the agreed renewal is charged until its end (%s)", async (status) => {
  const { office, id } = await aRenewalWithFee({ endDate: endOfMonth(firstOfMonth(1)) });
  if (status === "pending") await office.call("activateLease", { params: { id }, body: {} });
  expect((await activateToday(office, id)).status).toBe(200);
  expect(await laterFees(office, id)).toEqual([[firstOfMonth(1), 5_000]]);
});

test("a fee that the office deleted from the renewal is not charged", async () => {
  const { office, id } = await aRenewalWithFee({ endDate: endOfMonth(firstOfMonth(3)) });
  const [fee] = await rulesOf(office, id);
  await office.call("deleteRecurringCharge", { params: { id: fee!.id } });
  expect((await activateToday(office, id)).status).toBe(200);
  expect(await laterFees(office, id)).toEqual([]);
});

test("a fee that was added, or split after its draft was deleted, is not charged by the renewal", async () => {
  const { office, id, leaseId, feeId } = await aRenewalWithFee({ endDate: endOfMonth(firstOfMonth(3)) });
  const [draft] = await rulesOf(office, id);
  await office.call("deleteRecurringCharge", { params: { id: draft!.id } });
  await office.call("updateRecurringCharge", { params: { id: feeId }, body: { amountCents: 6_000, applyFrom: firstOfMonth(2) } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const added = { leaseId, amountCents: 3_000, categoryId, dayOfMonth: 1, startDate: firstOfMonth(0), endDate: endOfMonth(firstOfMonth(3)) };
  await office.call("createRecurringCharge", { body: { ...added, kind: "fee", label: "Storage" } });
  expect((await activateToday(office, id)).status).toBe(200);
  expect(await laterFees(office, id)).toEqual([]);
});

test("a fee that changes before the agreed renewal has its previous amount until then", async () => {
  const { office, id } = await aRenewalWithFee({}, { amountCents: 6_000, applyFrom: firstOfMonth(2) });
  await office.call("activateLease", { params: { id }, body: {} });
  expect((await activateToday(office, id)).status).toBe(200);
  expect(await laterFees(office, id)).toEqual([
    [firstOfMonth(1), 5_000],
    [firstOfMonth(2), 6_000],
    [firstOfMonth(3), 6_000],
  ]);
});

test("a month that the office voided stays uncharged", async () => {
  const office = await anOffice();
  const { id: leaseId } = await aPendingLease(office);
  const month = startOfMonth(addMonths(agreedStart, 1));
  await office.call("postDueCharges", { body: { throughDate: month } });
  const ofMonth = async () => (await office.call("listCharges", { query: { leaseId, pageSize: 100 } })).charges.filter(({ dueDate }) => dueDate === month);
  for (const { id } of await ofMonth()) await office.call("voidCharge", { params: { id }, body: { reason: "A month free of charge." } });
  expect((await activateToday(office, leaseId)).status).toBe(200);
  await office.call("postDueCharges", { body: { throughDate: month } });
  expect((await ofMonth()).map(({ chargeType, status }) => `${chargeType} ${status}`).sort()).toEqual(["fee voided", "rent voided"]);
});

test("rent and fees begin with the day of the activation when the lease is changed at the same time", async () => {
  const office = await anOffice();
  for (const _ of [1, 2, 3, 4]) {
    const { id } = await aPendingLease(office);
    const changeGraceDays = (lateFeeGraceDays: number) => office.attempt("updateLease", { params: { id }, body: { lateFeeGraceDays } });
    await Promise.all([activateToday(office, id), ...[1, 2, 3, 4, 5, 6].map(changeGraceDays)]);
    await eventually("recurring charges that start today", async () => {
      const rules = await rulesOf(office, id);
      return rules.length === 2 && rules.every(({ startDate }) => startDate === today);
    });
  }
});
