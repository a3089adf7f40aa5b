/** Billing of pending leases that are activated before their start date. */
import { expect, test } from "@jest/globals";
import { addDays, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
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
