import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

/** Returns the due dates and amounts of charges that are not voided, by due date. */
const inOrder = (charges: readonly { dueDate: string; amountCents: number; status: string }[]) =>
  charges
    .filter(({ status }) => status !== "voided")
    .toSorted((one, other) => one.dueDate.localeCompare(other.dueDate))
    .map(({ dueDate, amountCents }) => [dueDate, amountCents]);

// The lease ends on October 15. The tenant stays until November 20 and pays 1,000 a month.
test.each([
  ["prorate", ["2025-11-01", 66_667]],
  ["full", ["2025-11-01", 100_000]],
  ["none", undefined],
] as const)("the days from the end of an expired lease to its termination are charged at its rent, with the final rent %s", async (finalRent, lastMonth) => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2025-09-01", endDate: "2025-10-15", createRecurringRent: true });
  const readRules = async () => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules.map(({ status }) => status);
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  await eventually("the end of the recurring charges", async () => (await readRules()).every((status) => status === "ended"));
  const readCharges = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId } });
    return inOrder(charges);
  };
  const ofTheTerm = [
    ["2025-09-01", 100_000],
    ["2025-10-01", 48_387],
  ];
  expect(await readCharges()).toEqual(ofTheTerm);
  const { charges } = await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-11-20", finalRent } });
  const ofTheHoldover = [["2025-10-16", 51_613], ...(lastMonth ? [lastMonth] : [])];
  expect(inOrder(charges)).toEqual(ofTheHoldover);
  expect(await readCharges()).toEqual([...ofTheTerm, ...ofTheHoldover]);
  expect(await readRules()).toEqual(["ended"]);
});

test("a lease that is terminated on its last day or before is charged no further than its term, also with the full final rent", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2025-09-01", endDate: "2025-10-15", createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-10-15", finalRent: "full" } });
  const { charges } = await office.call("listCharges", { query: { leaseId } });
  expect(inOrder(charges)).toEqual([
    ["2025-09-01", 100_000],
    ["2025-10-01", 48_387],
  ]);
});

// The rent of 1,000 changes to 1,100 on April 1, the day after the agreed term; the lease goes on month to month until July 20.
test("a lease that went on month to month is charged at the rent of its rent changes only", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { startDate: "2025-04-01", endDate: "2026-03-31", termType: "fixed_with_rollover" as const, rentCents: 100_000, activate: true };
  const { lease } = await office.call("createLease", { body: { propertyId: first.propertyId, unitId: first.unitId, tenantId: first.tenantId, ...terms } });
  await office.call("createRentChange", { params: { id: lease.id }, body: { effectiveDate: "2026-04-01", rentCents: 110_000 } });
  await eventually("the month-to-month lease", async () => (await office.call("getLease", { params: { id: lease.id } })).lease.isHoldover);
  await office.call("postDueCharges", { body: { throughDate: "2026-07-31" } });
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2026-07-20" } });
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, dueAfter: "2026-03-01", pageSize: 100 } });
  expect(inOrder(charges)).toEqual([
    ["2026-03-01", 100_000],
    ["2026-04-01", 110_000],
    ["2026-05-01", 110_000],
    ["2026-06-01", 110_000],
    ["2026-07-01", 70_968],
  ]);
});

// Rent is paused in February. The lease ends on April 30 and is terminated on May 10.
test("months in which the rent was paused are not charged by a later termination", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2026-01-01", endDate: "2026-04-30", createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: "2026-02-28" } });
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId } });
  const { id, status } = recurringChargeRules[0]!;
  if (status === "active") await office.attempt("pauseRecurringCharge", { params: { id } });
  const before = inOrder((await office.call("listCharges", { query: { leaseId } })).charges);
  await eventually("the end of the recurring charge", async () => {
    const { recurringChargeRule } = await office.call("getRecurringCharge", { params: { id } });
    return recurringChargeRule.status === "ended";
  });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2026-05-10" } });
  const { charges } = await office.call("listCharges", { query: { leaseId } });
  expect(inOrder(charges)).toEqual([...before, ["2026-05-01", 32_258]]);
});

// Rent is due on the 1st and posted through October. On a day before the end of the term, January 15 is agreed as the last day.
test("a lease that is terminated ahead for a day after its term is charged each month of the term and the holdover", async () => {
  const office = await anOffice();
  const [month, end] = [startOfMonth(todayInOffice()), endOfMonth(addMonths(todayInOffice(), 2))];
  const { leaseId } = await aTenancy(office, { startDate: addMonths(month, -1), endDate: end, createRecurringRent: true });
  const terminationDate = withDayOfMonth(addMonths(month, 3), 15);
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate } });
  await office.call("postDueCharges", { body: { throughDate: addMonths(month, 4) } });
  const { charges } = await office.call("listCharges", { query: { leaseId } });
  const months = [-1, 0, 1, 2].map((distance) => [addMonths(month, distance), 100_000]);
  const charged = inOrder(charges);
  expect(charged.slice(0, -1)).toEqual(months);
  expect(charged.at(-1)![0]).toBe(addMonths(month, 3));
});

// Another system charged October up to the end of the term on the 15th. The tenant stays until November 20.
test("the first days of a holdover are charged also when this system has not charged the days before them", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { startDate: "2025-01-01", endDate: "2025-10-15", termType: "fixed" as const, rentCents: 100_000, billFrom: "2025-10-10", activate: true };
  const { lease } = await office.call("createLease", { body: { propertyId: first.propertyId, unitId: first.unitId, tenantId: first.tenantId, ...terms } });
  await eventually("the expiry", async () => (await office.call("getLease", { params: { id: lease.id } })).lease.status === "expired");
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-11-20" } });
  expect(inOrder((await office.call("listCharges", { query: { leaseId: lease.id } })).charges)).toEqual([
    ["2025-10-16", 51_613],
    ["2025-11-01", 66_667],
  ]);
});

test("an expired lease cannot be terminated on a day on which another tenant had the unit already", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-09-01", endDate: "2025-08-31", createRecurringRent: true });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Next Tenant" } });
  const terms = { startDate: "2025-09-01", endDate: "2026-08-31", termType: "fixed" as const, rentCents: 100_000, activate: true };
  const next = await office.call("createLease", { body: { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, ...terms } });
  await eventually("the expiry", async () => (await office.call("getLease", { params: { id: next.lease.id } })).lease.status === "expired");
  const terminate = (terminationDate: string) => office.attempt("terminateLease", { params: { id: first.leaseId }, body: { terminationDate } });
  expect((await terminate("2026-09-15")).body.code).toBe("lease_overlap");
  expect((await terminate("2025-08-31")).status).toBe(200);
});

// The month of the end is charged on the 20th. Rent is paused on a day before, so that no day of that month is charged.
test("a holdover that begins within a month without a charge charges its own days once, also when the month is due later", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { startDate: "2025-01-01", endDate: "2025-10-15", termType: "fixed" as const, rentCents: 100_000, rentChargeDay: 20, billFrom: "2025-10-16" };
  const body = { propertyId: first.propertyId, unitId: first.unitId, tenantId: first.tenantId, ...terms, activate: true };
  const { lease } = await office.call("createLease", { body });
  await eventually("the expiry", async () => (await office.call("getLease", { params: { id: lease.id } })).lease.status === "expired");
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-11-20" } });
  await office.call("postDueCharges", { body: { throughDate: "2025-12-31" } });
  expect(inOrder((await office.call("listCharges", { query: { leaseId: lease.id } })).charges)).toEqual([
    ["2025-10-20", 51_613],
    ["2025-11-20", 66_667],
  ]);
});

// The term ends on October 15, before a rent change on November 1 that was agreed when the term was longer. The tenant stays until November 20.
test("a holdover over a rent change charges each day at the rent of that day", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { startDate: "2025-01-01", endDate: "2025-10-15", termType: "fixed_with_rollover" as const, rentCents: 100_000, activate: true };
  const { lease } = await office.call("createLease", { body: { propertyId: first.propertyId, unitId: first.unitId, tenantId: first.tenantId, ...terms } });
  await office.call("createRentChange", { params: { id: lease.id }, body: { effectiveDate: "2025-11-01", rentCents: 110_000 } });
  await office.call("postDueCharges", { body: { throughDate: "2025-12-31" } });
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-11-20" } });
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, dueAfter: "2025-10-01" } });
  expect(inOrder(charges).reduce((sum, [, amountCents]) => sum + (amountCents as number), 0)).toBe(100_000 + 73_333);
});
