import { beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, withDayOfMonth, startOfMonth, monthsBetween } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/office.ts";
import { aCharge, aPayment, aTenancy, closing, type Tenancy } from "../../../../../test/tenancy.ts";
import { listening, soon, theDay, theDayHasBegun } from "../../../test/ledger.fixtures.ts";

let office: Office;
let categoryId: string;
const aYearAhead = addMonths(theDay(), 12);
/** The first of the month so many months from now. */
const month = (months: number): string => addMonths(startOfMonth(theDay()), months);

beforeAll(async () => {
  office = await anOffice();
  const { categories } = await office.call("listCategories");
  categoryId = categories.find(({ code }) => code === "4010")!.id;
  await theDayHasBegun(office);
});

/** Parking on the first, since three months ago and charged from then on. */
async function aRule(subject: { leaseId: string } | { unitId: string }, change: object = {}): Promise<string> {
  const terms = { amountCents: 5_000, categoryId, dayOfMonth: 1, startDate: month(-3), kind: "fee" as const, label: "Parking", postMissed: true };
  const on = "leaseId" in subject ? { leaseId: subject.leaseId } : { unitId: subject.unitId };
  return (await office.call("createRecurringCharge", { body: { ...terms, ...on, ...change } })).recurringChargeRule.id;
}
const post = async (body: object = {}, of = office) => (await of.call("postDueCharges", { body })).posting;
const dueDates = async ({ leaseId }: Tenancy): Promise<string[]> =>
  (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges.map(({ dueDate }) => dueDate);

describe("postDueCharges", () => {
  test("posts each month once, however often and in whatever order of days it is asked", async () => {
    const mine = await aTenancy(office);
    const rule = await aRule(mine, { dayOfMonth: 10 });
    const last = addDays(theDay(), 75);
    for (const throughDate of [addDays(theDay(), 20), theDay(), last, addDays(theDay(), -50), last]) await post({ throughDate, propertyId: mine.propertyId });
    const expected = monthsBetween(month(-3), last)
      .map((each) => withDayOfMonth(each, 10))
      .filter((day) => day <= last);
    expect(await dueDates(mine)).toEqual(expected);
    const { charges } = await office.call("listCharges", { query: { leaseId: mine.leaseId } });
    for (const charge of charges)
      expect(charge).toMatchObject({ recurringChargeRuleId: rule, amountCents: 5_000, categoryId, chargeType: "fee", name: "Parking", ...mine });
    expect(await post({ throughDate: last, propertyId: mine.propertyId })).toEqual({ throughDate: last, created: 0, skipped: 0, lines: [] });
  });

  test("ten runs at once post each month once", async () => {
    const mine = await aTenancy(office);
    await aRule(mine);
    await aRule(mine, { dayOfMonth: 31, endDate: addDays(theDay(), -1) });
    const before = await closing(office);
    const { lines } = await post({ propertyId: mine.propertyId, dryRun: true });
    const runs = await Promise.all(Array.from({ length: 10 }, () => post({ propertyId: mine.propertyId })));
    expect(runs.reduce((sum, { created }) => sum + created, 0)).toBe(lines.length);
    for (const { reason } of runs.flatMap((run) => run.lines)) expect([null, "Posted already."]).toContain(reason);
    expect(await dueDates(mine)).toEqual(lines.map(({ dueDate }) => dueDate).sort());
    expect((await closing(office))["1100"]).toBe(before["1100"]! + 5_000 * lines.length);
  });

  test("with dryRun says what it would post, and posts nothing", async () => {
    const mine = await aTenancy(office);
    await aRule(mine);
    const told = await post({ propertyId: mine.propertyId, dryRun: true });
    expect(told).toMatchObject({ created: 0, skipped: 0 });
    expect(told.lines.map(({ dueDate, chargeId, reason }) => [dueDate, chargeId, reason])).toEqual(
      [-3, -2, -1, 0].map((months) => [month(months), null, null]),
    );
    expect(await dueDates(mine)).toEqual([]);
    const done = await post({ propertyId: mine.propertyId });
    expect(done).toMatchObject({ created: 4, skipped: 0 });
    expect(done.lines.map((line) => ({ ...line, chargeId: null }))).toEqual(told.lines);
    expect(done.lines.every(({ chargeId }) => chargeId !== null)).toBe(true);
  });

  test("passes a unit's rule over while nobody lives there, saying so, and charges who does", async () => {
    const mine = await aTenancy(office);
    const { unit } = await office.call("createUnit", { body: { propertyId: mine.propertyId, unitNumber: "2", monthlyRentCents: 1 } });
    await aRule({ unitId: unit.id }, { startDate: month(0) });
    const skipped = await post({ propertyId: mine.propertyId });
    expect(skipped).toMatchObject({ created: 0, skipped: 1, lines: [{ chargeId: null, reason: "The unit has no active lease." }] });
    await aRule({ unitId: mine.unitId }, { startDate: month(0) });
    expect(await post({ propertyId: mine.propertyId })).toMatchObject({ created: 1, skipped: 1 });
    expect((await office.call("listCharges", { query: { leaseId: mine.leaseId } })).charges).toMatchObject([mine]);
  });

  test("announces at once what it posts late", async () => {
    const mine = await aTenancy(office);
    await aRule(mine, { startDate: month(-1), endDate: addDays(month(0), -1) });
    const ear = await listening(office);
    const { lines } = await post({ propertyId: mine.propertyId });
    expect(lines).toMatchObject([{ dueDate: month(-1) }]);
    expect(await ear.hears("charge.overdue", lines[0]!.chargeId!)).toMatchObject({ data: { leaseId: mine.leaseId, dueDate: month(-1) } });
    await ear.close();
  });

  test("goes at most a year ahead", async () => {
    const mine = await aTenancy(office);
    await aRule(mine, { startDate: addDays(aYearAhead, -40), dayOfMonth: Number(aYearAhead.slice(8)) });
    const refused = await office.attempt("postDueCharges", { body: { throughDate: addDays(aYearAhead, 1) } });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path: "throughDate", code: "max" }]]);
    expect(await post({ throughDate: aYearAhead, propertyId: mine.propertyId })).toMatchObject({ throughDate: aYearAhead });
    expect((await dueDates(mine)).at(-1)).toBe(aYearAhead);
  });

  test.each([
    ["throughDate", "2026-02-29"],
    ["propertyId", randomUUID()],
    ["dryRun", "yes"],
    ["surprise", 1],
  ])("refuses %s = %p", async (field, value) => {
    const { status, body } = await office.attempt("postDueCharges", { body: { [field]: value } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  });

  test("with the same Idempotency-Key answers the same again, and another body is refused", async () => {
    const mine = await aTenancy(office);
    await aRule(mine);
    const headers = { "Idempotency-Key": randomUUID() };
    const run = (body: object) => office.attempt("postDueCharges", { body: { propertyId: mine.propertyId, ...body }, headers });
    const answers = await Promise.all([run({}), run({}), run({})]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.body.posting.created).toBe(4);
    expect(await run({ dryRun: true })).toMatchObject({ status: 409, body: { code: "idempotency_key_reused" } });
  });

  test("the 29th, 30th and 31st are the last day of a month that has no such day", async () => {
    const year = theDay().slice(5) > "03-31" ? Number(theDay().slice(0, 4)) : Number(theDay().slice(0, 4)) - 1;
    const february = year % 4 === 0 ? 29 : 28;
    for (const dayOfMonth of [29, 30, 31]) {
      const mine = await aTenancy(office);
      await aRule(mine, { dayOfMonth, startDate: `${year}-01-01`, endDate: `${year}-03-31` });
      await post({ propertyId: mine.propertyId });
      expect(await dueDates(mine)).toEqual([`${year}-01-${dayOfMonth}`, `${year}-02-${Math.min(dayOfMonth, february)}`, `${year}-03-${dayOfMonth}`]);
    }
  });
});

describe("what was missed", () => {
  const due = async (mine: Tenancy) => {
    await post({ propertyId: mine.propertyId, throughDate: month(1) });
    return dueDates(mine);
  };
  const onTheLastDay = { dayOfMonth: 31 };
  const lastDays = (...months: number[]) => months.map((each) => withDayOfMonth(month(each), 31));
  const through = (mine: Tenancy) => post({ propertyId: mine.propertyId, throughDate: withDayOfMonth(month(0), 31) }).then(() => dueDates(mine));

  test("before a rule was made is charged only when it says so", async () => {
    const [without, withMissed] = [await aTenancy(office), await aTenancy(office)];
    await aRule(without, { ...onTheLastDay, postMissed: false });
    await aRule(withMissed, onTheLastDay);
    expect(await through(without)).toEqual(lastDays(0));
    expect(await through(withMissed)).toEqual(lastDays(-3, -2, -1, 0));
  });

  test("while a rule was paused is skipped, not queued", async () => {
    const mine = await aTenancy(office);
    const id = await aRule(mine, onTheLastDay);
    await office.call("pauseRecurringCharge", { params: { id } });
    expect(await through(mine)).toEqual([]);
    await office.call("resumeRecurringCharge", { params: { id }, body: {} });
    expect(await through(mine)).toEqual(lastDays(0));
  });

  test("while it was paused is charged when it is resumed with postMissed", async () => {
    const mine = await aTenancy(office);
    const id = await aRule(mine, onTheLastDay);
    await office.call("pauseRecurringCharge", { params: { id } });
    await office.call("resumeRecurringCharge", { params: { id }, body: { postMissed: true } });
    expect(await through(mine)).toEqual(lastDays(-3, -2, -1, 0));
  });

  test("a draft charges nothing", async () => {
    const mine = await aTenancy(office);
    await aRule(mine, { status: "draft" });
    expect(await due(mine)).toEqual([]);
  });
});

describe("the organization's policies", () => {
  test("apply credit to what is posted, oldest first, when autoAllocatePayments says so", async () => {
    const mine = await aTenancy(office);
    await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
    const { payment } = await office.call("recordPayment", { body: aPayment(mine, 12_000) });
    // The ledger hears of the policy a moment later; a cent tells when.
    const cents = await soon("the policy", async () => {
      const { charge } = await office.call("getCharge", { params: { id: await aCharge(office, mine.leaseId, 1, month(-4)) } });
      return charge.status === "paid" && (await office.call("listCharges", { query: { leaseId: mine.leaseId } })).total;
    });
    await aRule(mine);
    await post({ propertyId: mine.propertyId });
    const { charges } = await office.call("listCharges", { query: { leaseId: mine.leaseId, chargeType: "fee", sortDirection: "asc" } });
    expect(charges.map(({ allocatedCents, status }) => [allocatedCents, status])).toEqual([
      [5_000, "paid"],
      [5_000, "paid"],
      [2_000 - cents, "partially_paid"],
      [0, "pending"],
    ]);
    expect((await office.call("getPayment", { params: { id: payment.id } })).payment.unallocatedCents).toBe(0);
    await closing(office);
  });

  test("apply each cent of credit once, however many charges come at once", async () => {
    const mine = await aTenancy(office);
    await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
    await office.call("recordPayment", { body: aPayment(mine, 55) });
    const charges = await Promise.all(
      Array.from({ length: 10 }, () =>
        office.attempt("createCharge", { body: { leaseId: mine.leaseId, amountCents: 10, dueDate: month(0), chargeType: "rent" } }),
      ),
    );
    expect(new Set(charges.map(({ status }) => status))).toEqual(new Set([200]));
    const { totals } = await office.call("listCharges", { query: { leaseId: mine.leaseId } });
    expect(totals).toEqual({ amountCents: 100, balanceCents: 45 });
  });

  test("and a hand that allocates the same payment meanwhile share it to the cent", async () => {
    const mine = await aTenancy(office);
    const chargeId = await aCharge(office, mine.leaseId, 200, month(-1));
    const { payment } = await office.call("recordPayment", { body: aPayment(mine, 55) });
    const body = { allocations: [{ chargeId, amountCents: 5 }] };
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => office.attempt("allocatePayment", { params: { id: payment.id }, body })),
      ...Array.from({ length: 10 }, () =>
        office.attempt("createCharge", { body: { leaseId: mine.leaseId, amountCents: 10, dueDate: month(0), chargeType: "rent" } }),
      ),
    ]);
    for (const [index, { status }] of answers.entries()) expect(index < 10 ? [200, 400] : [200]).toContain(status);
    const { totals } = await office.call("listCharges", { query: { leaseId: mine.leaseId } });
    expect(totals).toEqual({ amountCents: 300, balanceCents: 245 });
    await closing(office);
  });

  test("post as many days in advance as postDaysInAdvance says", async () => {
    await office.call("updateOrganization", { body: { policies: { postDaysInAdvance: 31 } } });
    await soon("the policy", async () => (await post({ dryRun: true })).throughDate === addDays(theDay(), 31));
  });
});
