/** What a lease is charged when its rent changes. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, withDayOfMonth, daysInMonth, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/office.ts";
import { closing } from "../../../../../test/tenancy.ts";
import { listening, soon, theDay, theDayHasBegun } from "../../../test/ledger.fixtures.ts";

let office: Office;
let ear: Awaited<ReturnType<typeof listening>>;

beforeAll(async () => {
  office = await anOffice();
  ear = await listening(office);
  await theDayHasBegun(office);
});
afterAll(() => ear.close());

/** The first day of a month, so many months from this one. */
const month = (months: number) => addMonths(startOfMonth(theDay()), months);
const part = (cents: number, days: number, first: string) => Math.round((cents * days) / daysInMonth(first));

/** A lease in force that charges 1000.00 a month from this one on. */
async function aLease(change: object = {}): Promise<string> {
  const address = { name: "Elm Street 1", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  const place = { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
  const terms = { startDate: month(0), endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, rentChargeDay: 1, activate: true };
  return (await office.call("createLease", { body: { ...place, ...terms, ...change } })).lease.id;
}
const changeRent = (id: string, effectiveDate: string, rentCents: number) =>
  office.call("createRentChange", { params: { id }, body: { effectiveDate, rentCents } });
const leaseOf = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const post = async (id: string, throughDate: string) => office.call("postDueCharges", { body: { throughDate, propertyId: (await leaseOf(id)).propertyId } });
const standing = async (leaseId: string) =>
  (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges
    .filter(({ status }) => status !== "voided")
    .map(({ dueDate, amountCents }) => `${dueDate} ${amountCents}`)
    .toSorted();
const rulesOf = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const shape = (rules: Awaited<ReturnType<typeof rulesOf>>) =>
  rules.map(({ startDate, endDate, amountCents, status }) => [startDate, endDate, amountCents, status]);

/** Delivers the last change of a lease a second time, and waits until the ledger has consumed it. */
async function again(leaseId: string): Promise<void> {
  const event = await ear.hears("lease.updated", leaseId);
  const before = ear.of("lease.updated", leaseId).length;
  await ear.repeat(event);
  await soon("the second delivery", () => ear.of("lease.updated", leaseId).length > before);
  await ear.consumed();
}

describe("a rent that changes", () => {
  test("on the first of a month charges the old one before and the new one from then on, however often it is told", async () => {
    const id = await aLease();
    const { recurringChargeRules } = await changeRent(id, month(2), 120_000);
    const expected = [
      [month(0), addDays(month(2), -1), 100_000, "active"],
      [month(2), "2099-12-31", 120_000, "active"],
    ];
    expect(shape(recurringChargeRules)).toEqual(expected);
    await again(id);
    expect(shape(await rulesOf(id))).toEqual(expected);
    await post(id, month(3));
    await post(id, month(3));
    expect(await standing(id)).toEqual([`${month(0)} 100000`, `${month(1)} 100000`, `${month(2)} 120000`, `${month(3)} 120000`]);
    await closing(office);
  });

  test("within a month charges each rent for its days, the new one on its first day", async () => {
    const id = await aLease();
    await changeRent(id, withDayOfMonth(month(1), 11), 200_000);
    await post(id, month(2));
    const days = daysInMonth(month(1));
    expect(await standing(id)).toEqual([
      `${month(0)} 100000`,
      `${month(1)} ${part(100_000, 10, month(1))}`,
      `${withDayOfMonth(month(1), 11)} ${part(200_000, days - 10, month(1))}`,
      `${month(2)} 200000`,
    ]);
  });

  test("on a day that has passed uncharged ends the old rule at once, and both are charged up to today", async () => {
    const id = await aLease({ startDate: month(-3) });
    const { recurringChargeRules } = await changeRent(id, month(-1), 120_000);
    expect(shape(recurringChargeRules)).toEqual([
      [month(-3), addDays(month(-1), -1), 100_000, "ended"],
      [month(-1), "2099-12-31", 120_000, "active"],
    ]);
    expect((await leaseOf(id)).rentCents).toBe(120_000);
    const expected = [`${month(-3)} 100000`, `${month(-2)} 100000`, `${month(-1)} 120000`, `${month(0)} 120000`];
    await soon("what fell due", async () => JSON.stringify(await standing(id)) === JSON.stringify(expected));
  });

  test("several times, in any order, and to nothing for a while", async () => {
    const id = await aLease();
    await changeRent(id, month(4), 140_000);
    await changeRent(id, month(1), 110_000);
    await changeRent(id, month(2), 0);
    await post(id, month(5));
    expect(await standing(id)).toEqual([`${month(0)} 100000`, `${month(1)} 110000`, `${month(4)} 140000`, `${month(5)} 140000`]);
  });

  test("from nothing is charged from then on, though there was no rule before", async () => {
    const id = await aLease({ rentCents: 0 });
    const { recurringChargeRules } = await changeRent(id, month(1), 110_000);
    expect(shape(recurringChargeRules)).toEqual([[month(1), "2099-12-31", 110_000, "active"]]);
    await post(id, month(1));
    expect(await standing(id)).toEqual([`${month(1)} 110000`]);
  });

  test("of a lease that charges nothing by itself makes no rule", async () => {
    const id = await aLease({ createRecurringRent: false });
    expect((await changeRent(id, month(1), 110_000)).recurringChargeRules).toEqual([]);
  });

  test("while it is paused stays paused", async () => {
    const id = await aLease();
    const [rule] = await rulesOf(id);
    await office.call("pauseRecurringCharge", { params: { id: rule!.id } });
    expect((await changeRent(id, month(1), 110_000)).recurringChargeRules.map(({ status }) => status)).toEqual(["paused", "paused"]);
    await post(id, month(2));
    expect(await standing(id)).toEqual([]);
  });

  test("says when rent is due next over the change", async () => {
    const id = await aLease();
    expect((await leaseOf(id)).nextRentDueOn).toBe(month(0));
    await changeRent(id, month(2), 110_000);
    const next: (string | null)[] = [];
    for (const months of [0, 1, 2]) {
      await post(id, month(months));
      next.push((await leaseOf(id)).nextRentDueOn);
    }
    expect(next).toEqual([month(1), month(2), month(3)]);
  });
});

describe("a rent change that is taken back", () => {
  test("leaves the rent before it going on, also for the rest of a month that was charged by the day", async () => {
    const id = await aLease();
    const { rentChange } = await changeRent(id, withDayOfMonth(month(1), 11), 200_000);
    await post(id, month(1));
    const { recurringChargeRules } = await office.call("deleteRentChange", { params: { id: rentChange.id } });
    expect(recurringChargeRules.map(({ endDate, status }) => [endDate, status])).toEqual([
      ["2099-12-31", "active"],
      [withDayOfMonth(month(1), 10), "ended"],
    ]);
    await post(id, month(2));
    expect(await standing(id)).toEqual([
      `${month(0)} 100000`,
      `${month(1)} ${part(100_000, 10, month(1))}`,
      `${withDayOfMonth(month(1), 11)} ${part(100_000, daysInMonth(month(1)) - 10, month(1))}`,
      `${month(2)} 100000`,
    ]);
  });

  test("is refused once its rent is charged", async () => {
    const id = await aLease();
    const { rentChange } = await changeRent(id, month(1), 110_000);
    await post(id, month(1));
    const { status, body } = await office.attempt("deleteRentChange", { params: { id: rentChange.id } });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
  });
});

describe("a lease whose rent is to change", () => {
  test("and that is terminated before charges nothing under the new rent", async () => {
    const id = await aLease();
    await changeRent(id, month(3), 120_000);
    await office.call("terminateLease", { params: { id }, body: { terminationDate: endOfMonth(month(1)) } });
    await post(id, month(5));
    expect(await standing(id)).toEqual([`${month(0)} 100000`, `${month(1)} 100000`]);
    expect((await rulesOf(id)).map(({ status }) => status)).toEqual(["active", "ended"]);
  });

  test("and that ends before, and then later after all, charges each rent for its time", async () => {
    const id = await aLease();
    await changeRent(id, month(2), 120_000);
    await office.call("updateLease", { params: { id }, body: { endDate: endOfMonth(month(0)) } });
    expect((await rulesOf(id))[0]!.endDate).toBe(endOfMonth(month(0)));
    await office.call("updateLease", { params: { id }, body: { endDate: endOfMonth(month(2)) } });
    await post(id, month(5));
    expect(await standing(id)).toEqual([`${month(0)} 100000`, `${month(1)} 100000`, `${month(2)} 120000`]);
  });

  test("and that is followed by another charges up to then, and goes on as agreed when that one is given up", async () => {
    const id = await aLease({ termType: "month_to_month", endDate: undefined });
    await changeRent(id, month(2), 120_000);
    const { lease: renewal } = await office.call("renewLease", { params: { id }, body: { startDate: month(4), endDate: month(12) } });
    expect(renewal.rentCents).toBe(120_000);
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    await changeRent(id, month(3), 130_000);
    const ends = async () => (await rulesOf(id)).map(({ endDate }) => endDate);
    expect(await ends()).toEqual([addDays(month(2), -1), addDays(month(3), -1), addDays(month(4), -1)]);
    await office.call("cancelLease", { params: { id: renewal.id } });
    await ear.consumed();
    expect(await ends()).toEqual([addDays(month(2), -1), addDays(month(3), -1), null]);
    await post(id, month(4));
    expect(await standing(id)).toEqual([`${month(0)} 100000`, `${month(1)} 100000`, `${month(2)} 120000`, `${month(3)} 130000`, `${month(4)} 130000`]);
  });
});
