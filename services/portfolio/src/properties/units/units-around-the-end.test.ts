/** Vacancy and current lease of units on the days around the end of a lease. */
import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aDraftLease, aLease, aTenant, createLeaseReferences, inDays as day, type LeaseReferences } from "../../../test/fixtures.ts";

const office = await anOffice();
const term = { startDate: day(-100), endDate: day(10), createRecurringRent: false };
const vacantOn = async ({ propertyId, unitId }: LeaseReferences, offset: number) =>
  (await office.call("listUnits", { query: { propertyId, vacantAsOf: day(offset) } })).units.some(({ id }) => id === unitId);
const daysVacant = async (unit: LeaseReferences, ...offsets: number[]) => {
  const vacant = await Promise.all(offsets.map((offset) => vacantOn(unit, offset)));
  return offsets.filter((_, index) => vacant[index]);
};
const readUnit = async ({ unitId }: LeaseReferences) => (await office.call("getUnit", { params: { id: unitId } })).unit;
/** Tells whether another lease may start in the unit on a day; it is drafted and cancelled again. */
async function mayStart({ propertyId, unitId }: LeaseReferences, offset: number): Promise<boolean> {
  const terms = { startDate: day(offset), endDate: day(offset + 300), createRecurringRent: false };
  const { id } = await aDraftLease(office, { propertyId, unitId, tenantId: (await aTenant(office)).id }, terms);
  const { status } = await office.attempt("activateLease", { params: { id }, body: {} });
  await office.call("cancelLease", { params: { id } });
  return status === 200;
}

describe("a lease with rollover whose end date has passed", () => {
  test("goes on: the unit is vacant on no day, and the lease is current", async () => {
    const unit = await createLeaseReferences(office);
    const lease = await aLease(office, unit, { ...term, endDate: day(-1), termType: "fixed_with_rollover" });
    await eventually("the holdover", async () => (await office.call("getLease", { params: { id: lease.id } })).lease.isHoldover);
    expect(await daysVacant(unit, -1, 0, 1, 400)).toEqual([]);
    expect(await readUnit(unit)).toMatchObject({ status: "occupied", currentLeaseId: lease.id });
    expect(await mayStart(unit, 1)).toBe(false);
  });
});

describe("a lease with notice given", () => {
  test("holds the unit until it is terminated, and no longer than until that day", async () => {
    const unit = await createLeaseReferences(office);
    const lease = await aLease(office, unit, { ...term, endDate: undefined, termType: "month_to_month" });
    const notice = { noticeGivenOn: day(0), plannedMoveOutDate: day(20) };
    await office.call("giveNotice", { params: { id: lease.id }, body: notice });
    expect([await daysVacant(unit, 0, 20, 21, 400), await mayStart(unit, 21)]).toEqual([[], false]);
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: day(20), finalRent: "none" } });
    expect([await daysVacant(unit, 0, 19, 20, 21, 400), await mayStart(unit, 20), await mayStart(unit, 21)]).toEqual([[21, 400], false, true]);
    expect(await readUnit(unit)).toMatchObject({ status: "occupied", currentLeaseId: lease.id });
  });
});

describe("a lease that is terminated for today", () => {
  test("has no residents any more, and holds the unit until the end of the day", async () => {
    const unit = await createLeaseReferences(office);
    const lease = await aLease(office, unit, term);
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: day(0), finalRent: "none" } });
    expect([await daysVacant(unit, -1, 0, 1), await mayStart(unit, 0), await mayStart(unit, 1)]).toEqual([[1], false, true]);
    expect(await readUnit(unit)).toMatchObject({ status: "vacant", currentLeaseId: null });
  });
});

describe("a lease with another one that follows", () => {
  test("is current until its end, and leaves the unit vacant on the days between them only", async () => {
    const unit = await createLeaseReferences(office);
    const lease = await aLease(office, unit, { ...term, termType: "fixed_with_rollover" });
    const follower = { propertyId: unit.propertyId, unitId: unit.unitId, tenantId: (await aTenant(office)).id };
    const next = await aLease(office, follower, { startDate: day(15), endDate: day(400), createRecurringRent: false });
    expect(next.status).toBe("pending");
    expect(await daysVacant(unit, 0, 10, 11, 14, 15, 400, 401)).toEqual([11, 14, 401]);
    expect(await readUnit(unit)).toMatchObject({ status: "occupied", currentLeaseId: lease.id });
    await office.call("cancelLease", { params: { id: next.id } });
    expect(await daysVacant(unit, 10, 11, 15, 401)).toEqual([]);
  });
});
