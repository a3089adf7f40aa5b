import { beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, withDayOfMonth, startOfMonth, monthsBetween } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { recordEvents, todayInOffice, waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

let office: Office;
let categoryId: string;
/** Returns the first day of the month the given number of months from now. */
const firstOfMonth = (months: number): string => addMonths(startOfMonth(todayInOffice()), months);

beforeAll(async () => {
  office = await anOffice();
  const { categories } = await office.call("listCategories");
  categoryId = categories.find(({ code }) => code === "4010")!.id;
  await waitForDailyJobs(office);
});

/** Creates a monthly parking fee that is due on the first and started three months ago. */
async function createRule(target: { leaseId: string } | { unitId: string }, changes: object = {}): Promise<string> {
  const terms = { amountCents: 5_000, categoryId, dayOfMonth: 1, startDate: firstOfMonth(-3), kind: "fee" as const, label: "Parking", postMissed: true };
  const targetId = "leaseId" in target ? { leaseId: target.leaseId } : { unitId: target.unitId };
  return (await office.call("createRecurringCharge", { body: { ...terms, ...targetId, ...changes } })).recurringChargeRule.id;
}
const post = async (body: object = {}) => (await office.call("postDueCharges", { body })).posting;
const dueDates = async ({ leaseId }: Tenancy): Promise<string[]> =>
  (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges.map(({ dueDate }) => dueDate);

describe("postDueCharges", () => {
  test("posts each month once, for repeated runs through dates in any order", async () => {
    const tenancy = await aTenancy(office);
    const rule = await createRule(tenancy, { dayOfMonth: 10 });
    const last = addDays(todayInOffice(), 75);
    for (const throughDate of [addDays(todayInOffice(), 20), todayInOffice(), last, addDays(todayInOffice(), -50), last])
      await post({ throughDate, propertyId: tenancy.propertyId });
    const expected = monthsBetween(firstOfMonth(-3), last)
      .map((each) => withDayOfMonth(each, 10))
      .filter((day) => day <= last);
    expect(await dueDates(tenancy)).toEqual(expected);
    const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId } });
    for (const charge of charges)
      expect(charge).toMatchObject({ recurringChargeRuleId: rule, amountCents: 5_000, categoryId, chargeType: "fee", name: "Parking", ...tenancy });
    expect(await post({ throughDate: last, propertyId: tenancy.propertyId })).toEqual({ throughDate: last, created: 0, skipped: 0, lines: [] });
  });

  test("posts a fee ahead only up to the end date of its lease", async () => {
    const tenancy = await aTenancy(office, { startDate: firstOfMonth(-3), endDate: withDayOfMonth(firstOfMonth(1), 10) });
    await createRule(tenancy, { dayOfMonth: 15 });
    await post({ throughDate: addDays(firstOfMonth(4), -1), propertyId: tenancy.propertyId });
    expect(await dueDates(tenancy)).toEqual([-3, -2, -1, 0].map((months) => withDayOfMonth(firstOfMonth(months), 15)));
  });

  test("posts each month once in ten concurrent runs", async () => {
    const tenancy = await aTenancy(office);
    await createRule(tenancy);
    await createRule(tenancy, { dayOfMonth: 31, endDate: addDays(todayInOffice(), -1) });
    const before = await closingBalances(office);
    const { lines } = await post({ propertyId: tenancy.propertyId, dryRun: true });
    const runs = await Promise.all(Array.from({ length: 10 }, () => post({ propertyId: tenancy.propertyId })));
    expect(runs.reduce((sum, { created }) => sum + created, 0)).toBe(lines.length);
    for (const { reason } of runs.flatMap((run) => run.lines)) expect([null, "already_posted"]).toContain(reason);
    expect(await dueDates(tenancy)).toEqual(lines.map(({ dueDate }) => dueDate).sort());
    expect((await closingBalances(office))["1100"]).toBe(before["1100"]! + 5_000 * lines.length);
  });

  test("with dryRun reports the charges without posting them", async () => {
    const tenancy = await aTenancy(office);
    await createRule(tenancy);
    const preview = await post({ propertyId: tenancy.propertyId, dryRun: true });
    expect(preview).toMatchObject({ created: 0, skipped: 0 });
    expect(preview.lines.map(({ dueDate, chargeId, reason }) => [dueDate, chargeId, reason])).toEqual(
      [-3, -2, -1, 0].map((months) => [firstOfMonth(months), null, null]),
    );
    const { leaseId, tenantId, unitId } = tenancy;
    for (const line of preview.lines) expect(line).toMatchObject({ label: "Parking", leaseId, tenantId, unitId });
    expect(await dueDates(tenancy)).toEqual([]);
    const posting = await post({ propertyId: tenancy.propertyId });
    expect(posting).toMatchObject({ created: 4, skipped: 0 });
    expect(posting.lines.map((line) => ({ ...line, chargeId: null }))).toEqual(preview.lines);
    expect(posting.lines.every(({ chargeId }) => chargeId !== null)).toBe(true);
  });

  test("skips a recurring charge on a vacant unit with a reason, and charges the active lease of an occupied one", async () => {
    const tenancy = await aTenancy(office);
    const { unit } = await office.call("createUnit", { body: { propertyId: tenancy.propertyId, unitNumber: "2", monthlyRentCents: 1 } });
    await createRule({ unitId: unit.id }, { startDate: firstOfMonth(0) });
    const skipped = await post({ propertyId: tenancy.propertyId });
    expect(skipped).toMatchObject({ created: 0, skipped: 1, lines: [{ chargeId: null, reason: "vacant" }] });
    await createRule({ unitId: tenancy.unitId }, { startDate: firstOfMonth(0) });
    expect(await post({ propertyId: tenancy.propertyId })).toMatchObject({ created: 1, skipped: 1 });
    expect((await office.call("listCharges", { query: { leaseId: tenancy.leaseId } })).charges).toMatchObject([tenancy]);
  });

  test("never charges a new tenant for the months in which the unit was vacant, nor for months after the lease", async () => {
    const tenancy = await aTenancy(office, { startDate: addDays(firstOfMonth(-1), 9), endDate: addDays(firstOfMonth(2), -1) });
    await createRule({ unitId: tenancy.unitId });
    const { created, lines } = await post({ propertyId: tenancy.propertyId, throughDate: firstOfMonth(3) });
    expect(created).toBe(2);
    expect(lines.map(({ dueDate, reason }) => [dueDate, reason])).toEqual([
      [firstOfMonth(-3), "vacant"],
      [firstOfMonth(-2), "vacant"],
      [firstOfMonth(-1), "vacant"],
      [firstOfMonth(0), null],
      [firstOfMonth(1), null],
      [firstOfMonth(2), "vacant"],
      [firstOfMonth(3), "vacant"],
    ]);
    expect(await dueDates(tenancy)).toEqual([firstOfMonth(0), firstOfMonth(1)]);
  });

  test("publishes charge.overdue at once for charges posted after their due date", async () => {
    const tenancy = await aTenancy(office);
    await createRule(tenancy, { startDate: firstOfMonth(-1), endDate: addDays(firstOfMonth(0), -1) });
    const events = await recordEvents(office);
    const { lines } = await post({ propertyId: tenancy.propertyId });
    expect(lines).toMatchObject([{ dueDate: firstOfMonth(-1) }]);
    expect(await events.waitForEvent("charge.overdue", lines[0]!.chargeId!)).toMatchObject({ data: { leaseId: tenancy.leaseId, dueDate: firstOfMonth(-1) } });
    await events.close();
  });

  test("accepts dates up to a year ahead", async () => {
    const oneYearAhead = addMonths(todayInOffice(), 12);
    const tenancy = await aTenancy(office);
    await createRule(tenancy, { startDate: addDays(oneYearAhead, -40), dayOfMonth: Number(oneYearAhead.slice(8)) });
    const refused = await office.attempt("postDueCharges", { body: { throughDate: addDays(oneYearAhead, 1) } });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path: "throughDate", code: "max" }]]);
    expect(await post({ throughDate: oneYearAhead, propertyId: tenancy.propertyId })).toMatchObject({ throughDate: oneYearAhead });
    expect((await dueDates(tenancy)).at(-1)).toBe(oneYearAhead);
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

  test("with the same Idempotency-Key replays the response, and refuses another body", async () => {
    const tenancy = await aTenancy(office);
    await createRule(tenancy);
    const headers = { "Idempotency-Key": randomUUID() };
    const run = (body: object) => office.attempt("postDueCharges", { body: { propertyId: tenancy.propertyId, ...body }, headers });
    const responses = await Promise.all([run({}), run({}), run({})]);
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]!.body.posting.created).toBe(4);
    expect(await run({ dryRun: true })).toMatchObject({ status: 409, body: { code: "idempotency_key_reused" } });
  });

  test("uses the last day of months without a 29th, 30th or 31st", async () => {
    const year = todayInOffice().slice(5) > "03-31" ? Number(todayInOffice().slice(0, 4)) : Number(todayInOffice().slice(0, 4)) - 1;
    const february = year % 4 === 0 ? 29 : 28;
    for (const dayOfMonth of [29, 30, 31]) {
      const tenancy = await aTenancy(office);
      await createRule(tenancy, { dayOfMonth, startDate: `${year}-01-01`, endDate: `${year}-03-31` });
      await post({ propertyId: tenancy.propertyId });
      expect(await dueDates(tenancy)).toEqual([`${year}-01-${dayOfMonth}`, `${year}-02-${Math.min(dayOfMonth, february)}`, `${year}-03-${dayOfMonth}`]);
    }
  });
});

describe("missed periods", () => {
  const postAndListDueDates = async (tenancy: Tenancy) => {
    await post({ propertyId: tenancy.propertyId, throughDate: firstOfMonth(1) });
    return dueDates(tenancy);
  };
  const lastDayOfMonth = { dayOfMonth: 31 };
  const lastDays = (...months: number[]) => months.map((each) => withDayOfMonth(firstOfMonth(each), 31));
  const postThroughThisMonth = (tenancy: Tenancy) =>
    post({ propertyId: tenancy.propertyId, throughDate: withDayOfMonth(firstOfMonth(0), 31) }).then(() => dueDates(tenancy));

  test("before the creation of a recurring charge are charged only with postMissed", async () => {
    const [withoutMissed, withMissed] = [await aTenancy(office), await aTenancy(office)];
    await createRule(withoutMissed, { ...lastDayOfMonth, postMissed: false });
    await createRule(withMissed, lastDayOfMonth);
    expect(await postThroughThisMonth(withoutMissed)).toEqual(lastDays(0));
    expect(await postThroughThisMonth(withMissed)).toEqual(lastDays(-3, -2, -1, 0));
  });

  test("during a pause are not charged", async () => {
    const tenancy = await aTenancy(office);
    const id = await createRule(tenancy, lastDayOfMonth);
    await office.call("pauseRecurringCharge", { params: { id } });
    expect(await postThroughThisMonth(tenancy)).toEqual([]);
    await office.call("resumeRecurringCharge", { params: { id }, body: {} });
    expect(await postThroughThisMonth(tenancy)).toEqual(lastDays(0));
  });

  test("during a pause are charged when resumed with postMissed", async () => {
    const tenancy = await aTenancy(office);
    const id = await createRule(tenancy, lastDayOfMonth);
    await office.call("pauseRecurringCharge", { params: { id } });
    await office.call("resumeRecurringCharge", { params: { id }, body: { postMissed: true } });
    expect(await postThroughThisMonth(tenancy)).toEqual(lastDays(-3, -2, -1, 0));
  });

  test("of a draft are not charged", async () => {
    const tenancy = await aTenancy(office);
    await createRule(tenancy, { status: "draft" });
    expect(await postAndListDueDates(tenancy)).toEqual([]);
  });
});

describe("policies of the organization", () => {
  const totalsOf = async ({ leaseId }: Tenancy) => (await office.call("listCharges", { query: { leaseId } })).totals;

  test("autoAllocatePayments allocates credit to posted charges, oldest first", async () => {
    const tenancy = await aTenancy(office);
    await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 12_000) });
    // The ledger receives the policy asynchronously: charges of one cent show when it is in effect.
    const usedCents = await eventually("policy", async () => {
      const { charge } = await office.call("getCharge", { params: { id: await aCharge(office, tenancy.leaseId, 1, firstOfMonth(-4)) } });
      return charge.status === "paid" && (await office.call("listCharges", { query: { leaseId: tenancy.leaseId } })).total;
    });
    await createRule(tenancy);
    await post({ propertyId: tenancy.propertyId });
    const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId, chargeType: "fee", sortDirection: "asc" } });
    expect(charges.map(({ allocatedCents, status }) => [allocatedCents, status])).toEqual([
      [5_000, "paid"],
      [5_000, "paid"],
      [2_000 - usedCents, "partially_paid"],
      [0, "pending"],
    ]);
    expect((await office.call("getPayment", { params: { id: payment.id } })).payment.unallocatedCents).toBe(0);
    await closingBalances(office);
  });

  test("autoAllocatePayments allocates each cent of credit once for concurrent charges", async () => {
    const tenancy = await aTenancy(office);
    await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
    await office.call("recordPayment", { body: aPayment(tenancy, 55) });
    const charges = await Promise.all(
      Array.from({ length: 10 }, () =>
        office.attempt("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 10, dueDate: firstOfMonth(0), chargeType: "rent" } }),
      ),
    );
    expect(new Set(charges.map(({ status }) => status))).toEqual(new Set([200]));
    // A charge that finds the payment locked is settled by a job just after the posting.
    await eventually("settlement", async () => (await totalsOf(tenancy)).balanceCents <= 45);
    expect(await totalsOf(tenancy)).toEqual({ amountCents: 100, balanceCents: 45 });
  });

  test.each(["payment", "charge"])("autoAllocatePayments settles charges as soon as another transaction frees a %s", async (table) => {
    const tenancy = await aTenancy(office);
    await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
    await aCharge(office, tenancy.leaseId, 10, firstOfMonth(-1));
    await office.call("recordPayment", { body: aPayment(tenancy, 55) });
    await withOwnerConnection(office, async (holder) => {
      await holder.query("begin");
      const { rowCount } = await holder.query(`select from ${table} where lease_id = $1 for update`, [tenancy.leaseId]);
      expect(rowCount).toBe(1);
      await aCharge(office, tenancy.leaseId, 20, firstOfMonth(0));
      expect((await totalsOf(tenancy)).balanceCents).toBe(30);
      await holder.query("commit");
    });
    await eventually("settlement", async () => (await totalsOf(tenancy)).balanceCents === 0);
  });

  test("autoAllocatePayments and concurrent manual allocations never exceed the payment", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 200, firstOfMonth(-1));
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 55) });
    const body = { allocations: [{ chargeId, amountCents: 5 }] };
    const responses = await Promise.all([
      ...Array.from({ length: 10 }, () => office.attempt("allocatePayment", { params: { id: payment.id }, body })),
      ...Array.from({ length: 10 }, () =>
        office.attempt("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 10, dueDate: firstOfMonth(0), chargeType: "rent" } }),
      ),
    ]);
    for (const [index, { status }] of responses.entries()) expect(index < 10 ? [200, 400] : [200]).toContain(status);
    await eventually("settlement", async () => (await totalsOf(tenancy)).balanceCents <= 245);
    expect(await totalsOf(tenancy)).toEqual({ amountCents: 300, balanceCents: 245 });
    await closingBalances(office);
  });

  test("postDaysInAdvance sets the default of throughDate", async () => {
    await office.call("updateOrganization", { body: { policies: { postDaysInAdvance: 31 } } });
    await eventually("policy", async () => (await post({ dryRun: true })).throughDate === addDays(todayInOffice(), 31));
  });
});
