/** Fees of a lease that change before its renewal begins, when the renewal is moved before that change. */
import { expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

/** Creates a lease with a fee of 50 from its second month on, its renewal from the fifth month on, and functions to change both and read the fees. */
async function aRenewedLeaseWithFee(dayOfMonth: number) {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const startDate = startOfMonth(todayInOffice());
  const [second, third, fourth, fifth] = [1, 2, 3, 4].map((months) => addMonths(startDate, months)) as [string, string, string, string];
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate, rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth, startDate: second, kind: "fee" as const, label: "Parking" };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  const body = { startDate: fifth, endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  const readFees = async (throughMonth = fourth) => {
    await office.call("postDueCharges", { body: { throughDate: endOfMonth(throughMonth) } });
    const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, chargeType: "fee", sortBy: "dueDate", sortDirection: "asc" } });
    return charges.filter(({ status }) => status !== "voided").map(({ id, dueDate, amountCents }) => ({ id, dueDate, amountCents }));
  };
  const readDueDates = async () => (await readFees()).map(({ dueDate }) => dueDate);
  const change = (changed: { amountCents?: number; dayOfMonth?: number }, applyFrom: string) =>
    office.call("updateRecurringCharge", { params: { id: recurringChargeRule.id }, body: { ...changed, applyFrom } });
  const moveRenewal = (day: string) => office.call("updateLease", { params: { id: renewal.id }, body: { startDate: day } });
  return { office, second, third, fourth, change, moveRenewal, readFees, readDueDates };
}

test("a fee whose amount changes from a later month on has the previous amount until then when the renewal moves before that month", async () => {
  const { second, third, fourth, change, moveRenewal, readFees } = await aRenewedLeaseWithFee(1);
  await change({ amountCents: 6_000 }, third);
  await moveRenewal(second);
  expect((await readFees()).map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([
    [second, 5_000],
    [third, 6_000],
    [fourth, 6_000],
  ]);
});

test("a fee whose day changes from a later month on is charged once a month when the renewal moves into the month before", async () => {
  const { second, third, fourth, change, moveRenewal, readDueDates } = await aRenewedLeaseWithFee(1);
  await change({ dayOfMonth: 20 }, third);
  await moveRenewal(addDays(second, 4));
  expect(await readDueDates()).toEqual([second, addDays(third, 19), addDays(fourth, 19)]);
});

test("a fee whose day changes from a later month on is charged every month when the renewal moves into the month before", async () => {
  const { second, third, fourth, change, moveRenewal, readDueDates } = await aRenewedLeaseWithFee(20);
  await change({ dayOfMonth: 1 }, third);
  await moveRenewal(addDays(second, 9));
  expect(await readDueDates()).toEqual([addDays(second, 19), third, fourth]);
});

test("a fee whose charge of a month the office voided is not charged again by a renewal that moves to that month after the fee changed", async () => {
  const { office, second, third, fourth, change, moveRenewal, readFees, readDueDates } = await aRenewedLeaseWithFee(1);
  const [charge] = await readFees(second);
  await office.call("voidCharge", { params: { id: charge!.id }, body: { reason: "No parking in this month." } });
  await change({ amountCents: 6_000 }, fourth);
  await moveRenewal(second);
  expect(await readDueDates()).toEqual([third, fourth]);
});
