/** Billing of pending leases that are activated before their start date. */
import { expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
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

test("a lease with money posted on it is not activated early", async () => {
  const office = await anOffice();
  const { id } = await aPendingLease(office);
  await aCharge(office, id, 1_000);
  expect((await activateToday(office, id)).body).toMatchObject({ code: "resource_in_use", errors: [{ path: "startDate" }] });
});
