/** Charges of leases whose rent changes. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, withDayOfMonth, daysInMonth, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { closingBalances } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { recordEvents, todayInOffice, waitForDailyJobs, type EventRecorder } from "../../../test/ledger.fixtures.ts";

let office: Office;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  events = await recordEvents(office);
  await waitForDailyJobs(office);
});
afterAll(() => events.close());

/** Returns the first day of the month the given number of months from now. */
const firstOfMonth = (months: number) => addMonths(startOfMonth(todayInOffice()), months);
const prorated = (cents: number, days: number, month: string) => Math.round((cents * days) / daysInMonth(month));

/** Creates an active lease with a rent of 1000.00 a month from this month on. */
async function createLease(changes: object = {}): Promise<string> {
  const address = { name: "Elm Street 1", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  const premises = { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
  const terms = { startDate: firstOfMonth(0), endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, rentChargeDay: 1, activate: true };
  return (await office.call("createLease", { body: { ...premises, ...terms, ...changes } })).lease.id;
}
const changeRent = (id: string, effectiveDate: string, rentCents: number) =>
  office.call("createRentChange", { params: { id }, body: { effectiveDate, rentCents } });
const getLease = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const post = async (id: string, throughDate: string) => office.call("postDueCharges", { body: { throughDate, propertyId: (await getLease(id)).propertyId } });
const chargeSummaries = async (leaseId: string) =>
  (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges
    .filter(({ status }) => status !== "voided")
    .map(({ dueDate, amountCents }) => `${dueDate} ${amountCents}`)
    .toSorted();
const listRules = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const ruleSummaries = (rules: Awaited<ReturnType<typeof listRules>>) =>
  rules.map(({ startDate, endDate, amountCents, status }) => [startDate, endDate, amountCents, status]);

/** Redelivers the first update of a lease and waits until the ledger has consumed it. */
async function redeliverUpdate(leaseId: string): Promise<void> {
  const event = await events.waitForEvent("lease.updated", leaseId);
  const countBefore = events.eventsOf("lease.updated", leaseId).length;
  await events.redeliver(event);
  await eventually("redelivery", () => events.eventsOf("lease.updated", leaseId).length > countBefore);
  await events.waitUntilConsumed();
}

describe("a rent change", () => {
  test("on the first of a month charges the old rent before and the new rent from then on, also when its event is redelivered", async () => {
    const id = await createLease();
    const { recurringChargeRules } = await changeRent(id, firstOfMonth(2), 120_000);
    const expected = [
      [firstOfMonth(0), addDays(firstOfMonth(2), -1), 100_000, "active"],
      [firstOfMonth(2), "2099-12-31", 120_000, "active"],
    ];
    expect(ruleSummaries(recurringChargeRules)).toEqual(expected);
    await redeliverUpdate(id);
    expect(ruleSummaries(await listRules(id))).toEqual(expected);
    await post(id, firstOfMonth(3));
    await post(id, firstOfMonth(3));
    expect(await chargeSummaries(id)).toEqual([
      `${firstOfMonth(0)} 100000`,
      `${firstOfMonth(1)} 100000`,
      `${firstOfMonth(2)} 120000`,
      `${firstOfMonth(3)} 120000`,
    ]);
    await closingBalances(office);
  });

  test("within a month charges each rent for its days, the new one due on its first day", async () => {
    const id = await createLease();
    await changeRent(id, withDayOfMonth(firstOfMonth(1), 11), 200_000);
    await post(id, firstOfMonth(2));
    const days = daysInMonth(firstOfMonth(1));
    expect(await chargeSummaries(id)).toEqual([
      `${firstOfMonth(0)} 100000`,
      `${firstOfMonth(1)} ${prorated(100_000, 10, firstOfMonth(1))}`,
      `${withDayOfMonth(firstOfMonth(1), 11)} ${prorated(200_000, days - 10, firstOfMonth(1))}`,
      `${firstOfMonth(2)} 200000`,
    ]);
  });

  test("within a month whose charge was voided for it charges each rent for its days, and leaves other voided months voided", async () => {
    const id = await createLease({ startDate: firstOfMonth(-1) });
    await post(id, firstOfMonth(1));
    const { charges } = await office.call("listCharges", { query: { leaseId: id, pageSize: 100 } });
    for (const { dueDate, id: chargeId } of charges)
      if (dueDate !== firstOfMonth(0)) await office.call("voidCharge", { params: { id: chargeId }, body: { reason: "The rent changes." } });
    await changeRent(id, withDayOfMonth(firstOfMonth(1), 11), 200_000);
    await post(id, firstOfMonth(2));
    expect(await chargeSummaries(id)).toEqual([
      `${firstOfMonth(0)} 100000`,
      `${firstOfMonth(1)} ${prorated(100_000, 10, firstOfMonth(1))}`,
      `${withDayOfMonth(firstOfMonth(1), 11)} ${prorated(200_000, daysInMonth(firstOfMonth(1)) - 10, firstOfMonth(1))}`,
      `${firstOfMonth(2)} 200000`,
    ]);
  });

  test("on a past uncharged date ends the old recurring charge at once and posts both up to today", async () => {
    const id = await createLease({ startDate: firstOfMonth(-3) });
    const { recurringChargeRules } = await changeRent(id, firstOfMonth(-1), 120_000);
    expect(ruleSummaries(recurringChargeRules)).toEqual([
      [firstOfMonth(-3), addDays(firstOfMonth(-1), -1), 100_000, "ended"],
      [firstOfMonth(-1), "2099-12-31", 120_000, "active"],
    ]);
    expect((await getLease(id)).rentCents).toBe(120_000);
    const expected = [`${firstOfMonth(-3)} 100000`, `${firstOfMonth(-2)} 100000`, `${firstOfMonth(-1)} 120000`, `${firstOfMonth(0)} 120000`];
    await eventually("due charges", async () => JSON.stringify(await chargeSummaries(id)) === JSON.stringify(expected));
  });

  test("may be one of several in any order, one of them to 0", async () => {
    const id = await createLease();
    await changeRent(id, firstOfMonth(4), 140_000);
    await changeRent(id, firstOfMonth(1), 110_000);
    await changeRent(id, firstOfMonth(2), 0);
    await post(id, firstOfMonth(5));
    expect(await chargeSummaries(id)).toEqual([
      `${firstOfMonth(0)} 100000`,
      `${firstOfMonth(1)} 110000`,
      `${firstOfMonth(4)} 140000`,
      `${firstOfMonth(5)} 140000`,
    ]);
  });

  test("from 0 creates a recurring charge", async () => {
    const id = await createLease({ rentCents: 0 });
    const { recurringChargeRules } = await changeRent(id, firstOfMonth(1), 110_000);
    expect(ruleSummaries(recurringChargeRules)).toEqual([[firstOfMonth(1), "2099-12-31", 110_000, "active"]]);
    await post(id, firstOfMonth(1));
    expect(await chargeSummaries(id)).toEqual([`${firstOfMonth(1)} 110000`]);
  });

  test("of a lease without recurring rent creates no recurring charge", async () => {
    const id = await createLease({ createRecurringRent: false });
    expect((await changeRent(id, firstOfMonth(1), 110_000)).recurringChargeRules).toEqual([]);
  });

  test("of a paused rent stays paused", async () => {
    const id = await createLease();
    const [rule] = await listRules(id);
    await office.call("pauseRecurringCharge", { params: { id: rule!.id } });
    expect((await changeRent(id, firstOfMonth(1), 110_000)).recurringChargeRules.map(({ status }) => status)).toEqual(["paused", "paused"]);
    await post(id, firstOfMonth(2));
    expect(await chargeSummaries(id)).toEqual([]);
  });

  test("updates the next rent due date", async () => {
    const id = await createLease();
    expect((await getLease(id)).nextRentDueOn).toBe(firstOfMonth(0));
    await changeRent(id, firstOfMonth(2), 110_000);
    const dueDates: (string | null)[] = [];
    for (const months of [0, 1, 2]) {
      await post(id, firstOfMonth(months));
      dueDates.push((await getLease(id)).nextRentDueOn);
    }
    expect(dueDates).toEqual([firstOfMonth(1), firstOfMonth(2), firstOfMonth(3)]);
  });
});

describe("the deletion of a rent change", () => {
  test("extends the previous rent, including the rest of a prorated month", async () => {
    const id = await createLease();
    const { rentChange } = await changeRent(id, withDayOfMonth(firstOfMonth(1), 11), 200_000);
    await post(id, firstOfMonth(1));
    const { recurringChargeRules } = await office.call("deleteRentChange", { params: { id: rentChange.id } });
    expect(recurringChargeRules.map(({ endDate, status }) => [endDate, status])).toEqual([
      ["2099-12-31", "active"],
      [withDayOfMonth(firstOfMonth(1), 10), "ended"],
    ]);
    await post(id, firstOfMonth(2));
    expect(await chargeSummaries(id)).toEqual([
      `${firstOfMonth(0)} 100000`,
      `${firstOfMonth(1)} ${prorated(100_000, 10, firstOfMonth(1))}`,
      `${withDayOfMonth(firstOfMonth(1), 11)} ${prorated(100_000, daysInMonth(firstOfMonth(1)) - 10, firstOfMonth(1))}`,
      `${firstOfMonth(2)} 100000`,
    ]);
  });

  test("is refused once its rent is charged", async () => {
    const id = await createLease();
    const { rentChange } = await changeRent(id, firstOfMonth(1), 110_000);
    await post(id, firstOfMonth(1));
    const { status, body } = await office.attempt("deleteRentChange", { params: { id: rentChange.id } });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
  });
});

describe("a lease with a future rent change", () => {
  test("terminated before it is never charged the new rent", async () => {
    const id = await createLease();
    await changeRent(id, firstOfMonth(3), 120_000);
    await office.call("terminateLease", { params: { id }, body: { terminationDate: endOfMonth(firstOfMonth(1)) } });
    await post(id, firstOfMonth(5));
    expect(await chargeSummaries(id)).toEqual([`${firstOfMonth(0)} 100000`, `${firstOfMonth(1)} 100000`]);
    expect((await listRules(id)).map(({ status }) => status)).toEqual(["active", "ended"]);
  });

  test("is charged each rent for its days when the end date moves before and after it", async () => {
    const id = await createLease();
    await changeRent(id, firstOfMonth(2), 120_000);
    await office.call("updateLease", { params: { id }, body: { endDate: endOfMonth(firstOfMonth(0)) } });
    expect((await listRules(id))[0]!.endDate).toBe(endOfMonth(firstOfMonth(0)));
    await office.call("updateLease", { params: { id }, body: { endDate: endOfMonth(firstOfMonth(2)) } });
    await post(id, firstOfMonth(5));
    expect(await chargeSummaries(id)).toEqual([`${firstOfMonth(0)} 100000`, `${firstOfMonth(1)} 100000`, `${firstOfMonth(2)} 120000`]);
  });

  test("is charged up to its renewal, and further by its rent changes when the renewal is cancelled", async () => {
    const id = await createLease({ termType: "month_to_month", endDate: undefined });
    await changeRent(id, firstOfMonth(2), 120_000);
    const { lease: renewal } = await office.call("renewLease", { params: { id }, body: { startDate: firstOfMonth(4), endDate: firstOfMonth(12) } });
    expect(renewal.rentCents).toBe(120_000);
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    await changeRent(id, firstOfMonth(3), 130_000);
    const endDates = async () => (await listRules(id)).map(({ endDate }) => endDate);
    expect(await endDates()).toEqual([addDays(firstOfMonth(2), -1), addDays(firstOfMonth(3), -1), addDays(firstOfMonth(4), -1)]);
    await office.call("cancelLease", { params: { id: renewal.id } });
    await events.waitUntilConsumed();
    expect(await endDates()).toEqual([addDays(firstOfMonth(2), -1), addDays(firstOfMonth(3), -1), null]);
    await post(id, firstOfMonth(4));
    expect(await chargeSummaries(id)).toEqual([
      `${firstOfMonth(0)} 100000`,
      `${firstOfMonth(1)} 100000`,
      `${firstOfMonth(2)} 120000`,
      `${firstOfMonth(3)} 130000`,
      `${firstOfMonth(4)} 130000`,
    ]);
  });
});
