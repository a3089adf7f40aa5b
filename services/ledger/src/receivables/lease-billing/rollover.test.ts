import { expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

test("a lease with rollover is billed without an end, and to its end date while another lease follows it in the unit", async () => {
  const office = await anOffice();
  const nextMonth = addMonths(startOfMonth(todayInOffice()), 1);
  const [lastDay, lastOfMonth] = [addDays(nextMonth, 14), endOfMonth(nextMonth)];
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: addMonths(nextMonth, -9), endDate: addDays(addMonths(nextMonth, -6), -1) });
  const terms = { propertyId, unitId, tenantId, startDate: addMonths(nextMonth, -6), endDate: lastDay, rentCents: 100_000, activate: true };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "fixed_with_rollover" } });
  const leaseId = lease.id;
  const { tenant } = await office.call("createTenant", { body: { fullName: "Nora Next" } });
  const draft = async (startDate: string) => {
    const terms = { startDate, termType: "month_to_month" as const, rentCents: 120_000, createRecurringRent: false, activate: false };
    return (await office.call("createLease", { body: { propertyId, unitId, tenantId: tenant.id, ...terms } })).lease.id;
  };
  const readEnd = async () => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules.map(({ endDate }) => endDate);
  /** Returns the rent of the lease for the next month, which is posted ahead. */
  const readRent = async () => {
    await office.call("postDueCharges", { body: { throughDate: lastOfMonth } });
    const { charges } = await office.call("listCharges", { query: { leaseId } });
    const live = charges.filter(({ status, dueDate }) => status !== "voided" && dueDate >= nextMonth);
    return live.reduce((sum, { amountCents }) => sum + amountCents, 0);
  };
  expect([await readEnd(), await readRent()]).toEqual([[null], 100_000]);

  const first = await draft(addDays(lastDay, 1));
  await office.call("activateLease", { params: { id: first } });
  await eventually("the end of the rent", async () => (await readEnd())[0] === lastDay);
  // 15 days of the month.
  const halfMonth = Math.round((100_000 * 15) / Number(lastOfMonth.slice(-2)));
  expect(await readRent()).toBe(halfMonth);

  await office.call("cancelLease", { params: { id: first } });
  await eventually("the rent without an end", async () => (await readEnd())[0] === null);
  expect(await readRent()).toBe(100_000);

  const second = await draft(addMonths(nextMonth, 2));
  await office.call("activateLease", { params: { id: second } });
  await eventually("the end of the rent", async () => (await readEnd())[0] === lastDay);
  await office.call("deleteLease", { params: { id: second } });
  await eventually("the rent without an end", async () => (await readEnd())[0] === null);
});

test("the rent of a lease with rollover that has not begun ends with the lease when another one follows it", async () => {
  const office = await anOffice();
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2026-01-01", endDate: "2026-01-31" });
  const terms = { propertyId, unitId, rentCents: 100_000, activate: true };
  const { lease } = await office.call("createLease", {
    body: { ...terms, tenantId, termType: "fixed_with_rollover", startDate: "2099-03-01", endDate: "2099-09-15" },
  });
  const readEnds = async () => (await office.call("listRecurringCharges", { query: { leaseId: lease.id } })).recurringChargeRules.map(({ endDate }) => endDate);
  await eventually("the rent", async () => (await readEnds()).length === 1);
  expect(await readEnds()).toEqual([null]);
  const { tenant } = await office.call("createTenant", { body: { fullName: "Nora Next" } });
  const { lease: next } = await office.call("createLease", { body: { ...terms, tenantId: tenant.id, termType: "month_to_month", startDate: "2099-09-16" } });
  await eventually("the end of the rent", async () => (await readEnds())[0] === "2099-09-15");
  await office.call("cancelLease", { params: { id: next.id } });
  await eventually("the rent without an end", async () => (await readEnds())[0] === null);
});
