/** Fees of a lease that change after its renewal was agreed and before it begins. */
import { expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

/** Creates a lease with a fee of 50 due on the 1st, its pending or drafted renewal, and a function that reads the fees of the renewal. */
async function aRenewedLeaseWithFee({ isDraft = false } = {}) {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const startDate = startOfMonth(todayInOffice());
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate, rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 1, startDate, kind: "fee" as const, label: "Parking" };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  const renewedFrom = addMonths(startDate, 2);
  const body = { startDate: renewedFrom, endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  if (!isDraft) await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  const readFees = async (throughMonth = renewedFrom) => {
    await office.call("postDueCharges", { body: { throughDate: endOfMonth(throughMonth) } });
    const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, dueAfter: renewedFrom } });
    return charges.map(({ dueDate, amountCents }) => [dueDate, amountCents]);
  };
  return { office, ruleId: recurringChargeRule.id, renewedFrom, renewalId: renewal.id, readFees };
}

test("a fee that ends before its lease is renewed is not charged by the renewal, also when its end is agreed after the renewal", async () => {
  const { office, ruleId, renewedFrom, readFees } = await aRenewedLeaseWithFee();
  await office.call("endRecurringCharge", { params: { id: ruleId }, body: { endDate: addDays(renewedFrom, -1) } });
  expect(await readFees()).toEqual([]);
});

test("a fee whose amount changes before its lease is renewed is charged with the new amount by the renewal", async () => {
  const { office, ruleId, renewedFrom, readFees } = await aRenewedLeaseWithFee();
  await office.call("updateRecurringCharge", { params: { id: ruleId }, body: { amountCents: 6_000 } });
  expect(await readFees()).toEqual([[renewedFrom, 6_000]]);
});

test("a fee whose end date is removed before its lease is renewed is charged by the renewal", async () => {
  const { office, ruleId, renewedFrom, readFees } = await aRenewedLeaseWithFee();
  await office.call("endRecurringCharge", { params: { id: ruleId }, body: { endDate: addDays(renewedFrom, -1) } });
  await office.call("updateRecurringCharge", { params: { id: ruleId }, body: { endDate: null } });
  expect(await readFees()).toEqual([[renewedFrom, 5_000]]);
});

test("a fee of a drafted renewal changes its amount in the month from which the fee of the previous lease was to change", async () => {
  const { office, ruleId, renewedFrom, renewalId, readFees } = await aRenewedLeaseWithFee({ isDraft: true });
  const nextMonth = addMonths(renewedFrom, 1);
  await office.call("updateRecurringCharge", { params: { id: ruleId }, body: { amountCents: 6_000, applyFrom: nextMonth } });
  await office.call("activateLease", { params: { id: renewalId }, body: {} });
  expect(await readFees(nextMonth)).toEqual([
    [nextMonth, 6_000],
    [renewedFrom, 5_000],
  ]);
});

test("a fee whose amount the office changed on the renewal keeps that amount", async () => {
  const { office, ruleId, renewalId, renewedFrom, readFees } = await aRenewedLeaseWithFee();
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: renewalId, kind: "fee" } });
  await office.call("updateRecurringCharge", { params: { id: recurringChargeRules[0]!.id }, body: { amountCents: 5_500 } });
  await office.call("updateRecurringCharge", { params: { id: ruleId }, body: { amountCents: 6_000 } });
  expect(await readFees()).toEqual([[renewedFrom, 5_500]]);
});
