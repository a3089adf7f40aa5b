/** What becomes of charges when a lease changes, runs out, rolls over or is given up. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, withDayOfMonth, daysInMonth, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/office.ts";
import { eventually } from "../../../../../test/world.ts";
import { listening, soon, theDay, theDayHasBegun } from "../../../test/ledger.fixtures.ts";

let office: Office;
let ear: Awaited<ReturnType<typeof listening>>;

beforeAll(async () => {
  office = await anOffice();
  ear = await listening(office);
  await theDayHasBegun(office);
});
afterAll(() => ear.close());

async function aPlace() {
  const address = { name: "Elm Street 1", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  return { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
}

/** A lease in force that charges 1000.00 a month from the first of January 2026. */
async function aLease(change: object = {}): Promise<string> {
  const terms = { startDate: "2026-01-01", endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, rentChargeDay: 1, activate: true };
  return (await office.call("createLease", { body: { ...(await aPlace()), ...terms, ...change } })).lease.id;
}
const update = (id: string, body: object) => office.call("updateLease", { params: { id }, body });
const postThrough = async (leaseId: string, throughDate: string) => {
  const { lease } = await office.call("getLease", { params: { id: leaseId } });
  return office.call("postDueCharges", { body: { throughDate, propertyId: lease.propertyId } });
};
const standing = async (leaseId: string) =>
  (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges
    .filter(({ status }) => status !== "voided")
    .map(({ dueDate, amountCents }) => `${dueDate} ${amountCents}`);
const rulesOf = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const ended = (leaseId: string) =>
  eventually("end of the rules", async () => ((await rulesOf(leaseId)).every(({ status }) => status === "ended") ? true : undefined));

const yesterday = () => addDays(theDay(), -1);
/** The first day of a month, so many months from this one. */
const month = (months: number) => addMonths(startOfMonth(theDay()), months);
const part = (cents: number, days: number, first: string) => Math.round((cents * days) / daysInMonth(first));

describe("a lease that ends later than it was to", () => {
  test.each([
    ["in force", "2026-01-01"],
    ["pending", month(1)],
  ])("owes the rest of a month that was charged by the day, once: %s", async (_, startDate) => {
    const id = await aLease({ startDate, endDate: withDayOfMonth(month(1), 15) });
    await postThrough(id, endOfMonth(month(1)));
    const charged = async () => (await standing(id)).filter((each) => each.slice(0, 10) >= month(1));
    const first = `${month(1)} ${part(100_000, 15, month(1))}`;
    expect(await charged()).toEqual([first]);
    await update(id, { endDate: addDays(month(3), -1) });
    await update(id, { endDate: addDays(month(3), -2) });
    await postThrough(id, endOfMonth(month(2)));
    expect(await charged()).toEqual([
      first,
      `${withDayOfMonth(month(1), 16)} ${part(100_000, daysInMonth(month(1)) - 15, month(1))}`,
      `${month(2)} ${part(100_000, daysInMonth(month(2)) - 1, month(2))}`,
    ]);
  });
});

describe("a lease that ends earlier than it was to", () => {
  test("owes nothing for the days after it that nobody has paid", async () => {
    const id = await aLease();
    await postThrough(id, endOfMonth(month(2)));
    await update(id, { endDate: withDayOfMonth(month(1), 10) });
    expect((await standing(id)).at(-1)).toBe(`${month(1)} ${part(100_000, 10, month(1))}`);
  });
});

describe("a pending lease", () => {
  test("that was charged for nothing charges what was agreed in the end", async () => {
    const id = await aLease({ startDate: month(1), endDate: addDays(month(12), -1) });
    await update(id, { rentCents: 28_000, startDate: withDayOfMonth(month(2), 15), rentChargeDay: 31 });
    await postThrough(id, endOfMonth(month(3)));
    expect(await standing(id)).toEqual([`${endOfMonth(month(2))} ${part(28_000, daysInMonth(month(2)) - 14, month(2))}`, `${endOfMonth(month(3))} 28000`]);
  });
});

describe("a lease that ran out", () => {
  test("is charged up to its last day and not beyond, also what was charged in advance", async () => {
    const id = await aLease({ startDate: month(-1) });
    await postThrough(id, month(1));
    await update(id, { endDate: yesterday() });
    const event = await ear.hears("lease.expired", id);
    await ended(id);
    expect(await rulesOf(id)).toMatchObject([{ status: "ended", endDate: yesterday() }]);
    const before = await standing(id);
    expect(before[0]).toBe(`${month(-1)} 100000`);
    expect(before.filter((each) => each.slice(0, 10) > yesterday())).toEqual([]);
    await ear.repeat(event);
    await soon("the second delivery", () => ear.of("lease.expired", id).length === 2);
    await ear.consumed();
    await postThrough(id, month(1));
    expect(await standing(id)).toEqual(before);
  });

  test("owes nothing for the days after it was terminated, though it had run out later", async () => {
    const id = await aLease({ startDate: month(-2), endDate: yesterday() });
    await ended(id);
    const { charges } = await office.call("terminateLease", { params: { id }, body: { terminationDate: withDayOfMonth(month(-1), 10) } });
    expect(charges).toMatchObject([{ amountCents: part(100_000, 10, month(-1)), dueDate: month(-1) }]);
    expect(await standing(id)).toEqual([`${month(-2)} 100000`, `${month(-1)} ${part(100_000, 10, month(-1))}`]);
  });

  test("can still be charged a fee for ending it", async () => {
    const id = await aLease({ endDate: yesterday(), createRecurringRent: false });
    await ear.hears("lease.expired", id);
    const { charges } = await office.call("terminateLease", { params: { id }, body: { terminationDate: theDay(), terminationFeeCents: 5_000 } });
    expect(charges).toMatchObject([{ chargeType: "fee", amountCents: 5_000, dueDate: theDay() }]);
  });
});

describe("a lease that rolls over", () => {
  test("charges whole months all along", async () => {
    const id = await aLease({ termType: "fixed_with_rollover", startDate: month(-1), endDate: yesterday() });
    await postThrough(id, month(1));
    expect(await standing(id)).toEqual([month(-1), month(0), month(1)].map((first) => `${first} 100000`));
  });
});

describe("a renewal that is given up", () => {
  test("leaves the lease before it charging as before, however often that is told", async () => {
    const id = await aLease({ termType: "month_to_month", startDate: month(0), endDate: undefined });
    const { lease: renewal } = await office.call("renewLease", { params: { id }, body: { startDate: month(3), endDate: month(12) } });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    expect((await rulesOf(id))[0]!.endDate).toBe(addDays(month(3), -1));
    await office.call("cancelLease", { params: { id: renewal.id } });
    await ear.repeat(await ear.hears("lease.activated", renewal.id));
    await soon("the second delivery", () => ear.of("lease.activated", renewal.id).length === 2);
    await ear.consumed();
    expect((await rulesOf(id))[0]).toMatchObject({ status: "active", endDate: null });
    expect((await rulesOf(renewal.id)).map(({ status }) => status)).toEqual(["ended"]);
    await postThrough(id, month(3));
    expect((await standing(id)).at(-1)).toBe(`${month(3)} 100000`);
    expect(await standing(renewal.id)).toEqual([]);
  });
});
