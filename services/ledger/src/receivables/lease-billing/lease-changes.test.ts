/** Charges of leases that change, expire, roll over or are cancelled. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, withDayOfMonth, daysInMonth, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment } from "../../../../../test/support/tenancy.ts";
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

async function createUnitAndTenant() {
  const address = { name: "Elm Street 1", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  return { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
}

/** Creates an active or pending lease with a rent of 1000.00 a month from January 1, 2026. */
async function createLease(changes: object = {}): Promise<string> {
  const terms = { startDate: "2026-01-01", endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, rentChargeDay: 1, activate: true };
  return (await office.call("createLease", { body: { ...(await createUnitAndTenant()), ...terms, ...changes } })).lease.id;
}
const update = (id: string, body: object) => office.call("updateLease", { params: { id }, body });
const postThrough = async (leaseId: string, throughDate: string) => {
  const { lease } = await office.call("getLease", { params: { id: leaseId } });
  return office.call("postDueCharges", { body: { throughDate, propertyId: lease.propertyId } });
};
const chargeSummaries = async (leaseId: string) =>
  (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges
    .filter(({ status }) => status !== "voided")
    .map(({ dueDate, amountCents }) => `${dueDate} ${amountCents}`);
const chargesFrom = async (leaseId: string, date: string) => (await chargeSummaries(leaseId)).filter((summary) => summary.slice(0, 10) >= date);
async function voidCharges(leaseId: string): Promise<void> {
  const { charges } = await office.call("listCharges", { query: { leaseId } });
  for (const { id } of charges) await office.call("voidCharge", { params: { id }, body: { reason: "The terms change." } });
}
/** Records a payment for a lease and allocates it to its latest charge. */
async function payLatestCharge(leaseId: string, amountCents: number): Promise<void> {
  const { charges } = await office.call("listCharges", { query: { leaseId, pageSize: 1 } });
  const { id: chargeId, tenantId } = charges[0]!;
  await office.call("recordPayment", {
    body: { ...aPayment({ leaseId, tenantId }, amountCents), allocations: [{ chargeId, amountCents }] },
  });
}
const listRules = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const waitUntilRulesEnded = (leaseId: string) =>
  eventually("end of the recurring charges", async () => (await listRules(leaseId)).every(({ status }) => status === "ended"));

const yesterday = () => addDays(todayInOffice(), -1);
/** Returns the first day of the month the given number of months from now. */
const firstOfMonth = (months: number) => addMonths(startOfMonth(todayInOffice()), months);
const prorated = (cents: number, days: number, month: string) => Math.round((cents * days) / daysInMonth(month));

describe("a lease whose end date moves later", () => {
  test("is charged the rest of a prorated month once", async () => {
    const id = await createLease({ endDate: withDayOfMonth(firstOfMonth(1), 15) });
    await postThrough(id, endOfMonth(firstOfMonth(1)));
    const first = `${firstOfMonth(1)} ${prorated(100_000, 15, firstOfMonth(1))}`;
    expect(await chargesFrom(id, firstOfMonth(1))).toEqual([first]);
    await update(id, { endDate: addDays(firstOfMonth(3), -1) });
    await update(id, { endDate: addDays(firstOfMonth(3), -2) });
    await postThrough(id, endOfMonth(firstOfMonth(2)));
    expect(await chargesFrom(id, firstOfMonth(1))).toEqual([
      first,
      `${withDayOfMonth(firstOfMonth(1), 16)} ${prorated(100_000, daysInMonth(firstOfMonth(1)) - 15, firstOfMonth(1))}`,
      `${firstOfMonth(2)} ${prorated(100_000, daysInMonth(firstOfMonth(2)) - 1, firstOfMonth(2))}`,
    ]);
  });
});

describe("a lease whose end date moves earlier", () => {
  test("is not charged for unpaid days after it", async () => {
    const id = await createLease();
    await postThrough(id, endOfMonth(firstOfMonth(2)));
    await update(id, { endDate: withDayOfMonth(firstOfMonth(1), 10) });
    expect((await chargeSummaries(id)).at(-1)).toBe(`${firstOfMonth(1)} ${prorated(100_000, 10, firstOfMonth(1))}`);
  });

  test("several times, and later in between, is charged each day once, under its recurring charge", async () => {
    const id = await createLease();
    await postThrough(id, endOfMonth(firstOfMonth(1)));
    for (const day of [20, 10, 25, 15]) await update(id, { endDate: withDayOfMonth(firstOfMonth(1), day) });
    const { charges } = await office.call("listCharges", { query: { leaseId: id, sortDirection: "asc", pageSize: 100 } });
    const chargesOfMonth = charges.filter(({ status, dueDate }) => status !== "voided" && dueDate >= firstOfMonth(1));
    const [rule] = await listRules(id);
    expect(chargesOfMonth.map(({ periodStart, periodEnd, recurringChargeRuleId }) => [periodStart, periodEnd, recurringChargeRuleId])).toEqual([
      [firstOfMonth(1), withDayOfMonth(firstOfMonth(1), 10), rule!.id],
      [withDayOfMonth(firstOfMonth(1), 11), withDayOfMonth(firstOfMonth(1), 15), rule!.id],
    ]);
    expect(chargesOfMonth.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(prorated(100_000, 15, firstOfMonth(1)));
  });

  test("with a partly paid prorated month is charged the days after it once", async () => {
    const id = await createLease({ endDate: withDayOfMonth(firstOfMonth(1), 10) });
    await postThrough(id, endOfMonth(firstOfMonth(1)));
    await payLatestCharge(id, 100);
    for (const day of [20, 15]) await update(id, { endDate: withDayOfMonth(firstOfMonth(1), day) });
    const paidCents = prorated(100_000, 10, firstOfMonth(1));
    expect(await chargesFrom(id, firstOfMonth(1))).toEqual([
      `${firstOfMonth(1)} ${paidCents}`,
      `${withDayOfMonth(firstOfMonth(1), 11)} ${prorated(100_000, 15, firstOfMonth(1)) - paidCents}`,
    ]);
  });
});

describe("a pending lease", () => {
  test.each([
    ["later", () => withDayOfMonth(firstOfMonth(2), 11)],
    ["into the previous month", () => withDayOfMonth(firstOfMonth(1), 16)],
  ])("whose start moves %s is charged each day from the new start once, after rent posted ahead was voided", async (_, newStart) => {
    const id = await createLease({ startDate: firstOfMonth(2) });
    await postThrough(id, endOfMonth(firstOfMonth(3)));
    await voidCharges(id);
    await update(id, { startDate: newStart() });
    await postThrough(id, endOfMonth(firstOfMonth(3)));
    const days = daysInMonth(newStart()) - Number(newStart().slice(8)) + 1;
    const months = newStart() < firstOfMonth(2) ? [2, 3] : [3];
    expect(await chargeSummaries(id)).toEqual([
      `${newStart()} ${prorated(100_000, days, newStart())}`,
      ...months.map((month) => `${firstOfMonth(month)} 100000`),
    ]);
  });

  test("whose rent and tenant change is charged the new rent to the new tenant after rent posted ahead was voided", async () => {
    const id = await createLease({ startDate: firstOfMonth(2) });
    await postThrough(id, endOfMonth(firstOfMonth(2)));
    await voidCharges(id);
    const { tenant } = await office.call("createTenant", { body: { fullName: "Nora New" } });
    await update(id, { rentCents: 120_000, tenantId: tenant.id });
    await postThrough(id, endOfMonth(firstOfMonth(2)));
    const { charges } = await office.call("listCharges", { query: { leaseId: id } });
    expect(charges.filter(({ status }) => status !== "voided")).toMatchObject([{ tenantId: tenant.id, amountCents: 120_000, dueDate: firstOfMonth(2) }]);
  });

  test.each([true, false])(
    "that no longer prorates its first month, or does (%s), is charged for it once rent posted ahead was voided",
    async (prorateFirstMonth) => {
      const startDate = withDayOfMonth(firstOfMonth(2), 16);
      const id = await createLease({ startDate, prorateFirstMonth: !prorateFirstMonth });
      await postThrough(id, endOfMonth(firstOfMonth(2)));
      const change = () => office.attempt("updateLease", { params: { id }, body: { prorateFirstMonth } });
      expect((await change()).body).toMatchObject({ code: "resource_in_use", errors: [{ path: "prorateFirstMonth" }] });
      await voidCharges(id);
      expect((await change()).status).toBe(200);
      await postThrough(id, endOfMonth(firstOfMonth(2)));
      const cents = prorateFirstMonth ? prorated(100_000, daysInMonth(startDate) - 15, startDate) : 100_000;
      expect(await chargeSummaries(id)).toEqual([`${startDate} ${cents}`]);
    },
  );

  test("without charges is charged by its latest terms", async () => {
    const id = await createLease({ startDate: firstOfMonth(1), endDate: addDays(firstOfMonth(12), -1) });
    await update(id, { rentCents: 28_000, startDate: withDayOfMonth(firstOfMonth(2), 15), rentChargeDay: 31 });
    await postThrough(id, endOfMonth(firstOfMonth(3)));
    expect(await chargeSummaries(id)).toEqual([
      `${endOfMonth(firstOfMonth(2))} ${prorated(28_000, daysInMonth(firstOfMonth(2)) - 14, firstOfMonth(2))}`,
      `${endOfMonth(firstOfMonth(3))} 28000`,
    ]);
  });
});

describe("an expired lease", () => {
  test("is charged up to its last day, and charges posted in advance are voided", async () => {
    const id = await createLease({ startDate: firstOfMonth(-1) });
    await postThrough(id, firstOfMonth(1));
    await update(id, { endDate: yesterday() });
    const event = await events.waitForEvent("lease.expired", id);
    await waitUntilRulesEnded(id);
    expect(await listRules(id)).toMatchObject([{ status: "ended", endDate: yesterday() }]);
    const before = await chargeSummaries(id);
    expect(before[0]).toBe(`${firstOfMonth(-1)} 100000`);
    expect(before.filter((summary) => summary.slice(0, 10) > yesterday())).toEqual([]);
    await events.redeliver(event);
    await eventually("redelivery", () => events.eventsOf("lease.expired", id).length === 2);
    await events.waitUntilConsumed();
    await postThrough(id, firstOfMonth(1));
    expect(await chargeSummaries(id)).toEqual(before);
  });

  test("is not charged for days after an earlier termination date", async () => {
    const id = await createLease({ startDate: firstOfMonth(-2), endDate: yesterday() });
    await waitUntilRulesEnded(id);
    const { charges } = await office.call("terminateLease", { params: { id }, body: { terminationDate: withDayOfMonth(firstOfMonth(-1), 10) } });
    expect(charges).toMatchObject([{ amountCents: prorated(100_000, 10, firstOfMonth(-1)), dueDate: firstOfMonth(-1) }]);
    expect(await chargeSummaries(id)).toEqual([`${firstOfMonth(-2)} 100000`, `${firstOfMonth(-1)} ${prorated(100_000, 10, firstOfMonth(-1))}`]);
  });

  test("can still be charged a termination fee", async () => {
    const id = await createLease({ endDate: yesterday(), createRecurringRent: false });
    await events.waitForEvent("lease.expired", id);
    const { charges } = await office.call("terminateLease", { params: { id }, body: { terminationDate: todayInOffice(), terminationFeeCents: 5_000 } });
    expect(charges).toMatchObject([{ chargeType: "fee", amountCents: 5_000, dueDate: todayInOffice() }]);
  });
});

describe("a lease that rolls over", () => {
  test("is charged full months throughout", async () => {
    const id = await createLease({ termType: "fixed_with_rollover", startDate: firstOfMonth(-1), endDate: yesterday() });
    await postThrough(id, firstOfMonth(1));
    expect(await chargeSummaries(id)).toEqual([firstOfMonth(-1), firstOfMonth(0), firstOfMonth(1)].map((first) => `${first} 100000`));
  });
});

describe("a cancelled renewal", () => {
  test("reinstates the charges of the predecessor, also when events are redelivered", async () => {
    const id = await createLease({ termType: "month_to_month", startDate: firstOfMonth(0), endDate: undefined });
    const { lease: renewal } = await office.call("renewLease", { params: { id }, body: { startDate: firstOfMonth(3), endDate: firstOfMonth(12) } });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    expect((await listRules(id))[0]!.endDate).toBe(addDays(firstOfMonth(3), -1));
    await office.call("cancelLease", { params: { id: renewal.id } });
    await events.redeliver(await events.waitForEvent("lease.activated", renewal.id));
    await eventually("redelivery", () => events.eventsOf("lease.activated", renewal.id).length === 2);
    await events.waitUntilConsumed();
    expect((await listRules(id))[0]).toMatchObject({ status: "active", endDate: null });
    expect((await listRules(renewal.id)).map(({ status }) => status)).toEqual(["ended"]);
    await postThrough(id, firstOfMonth(3));
    expect((await chargeSummaries(id)).at(-1)).toBe(`${firstOfMonth(3)} 100000`);
    expect(await chargeSummaries(renewal.id)).toEqual([]);
  });
});
