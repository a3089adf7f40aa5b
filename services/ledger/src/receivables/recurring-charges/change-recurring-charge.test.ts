import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { recordEvents, todayInOffice, waitForDailyJobs, type EventRecorder } from "../../../test/ledger.fixtures.ts";

let office: Office;
let events: EventRecorder;
let accountIds: Record<string, string>;

beforeAll(async () => {
  office = await anOffice();
  const { categories } = await office.call("listCategories");
  accountIds = Object.fromEntries(categories.map(({ code, id }) => [code, id]));
  events = await recordEvents(office);
  await waitForDailyJobs(office);
});
afterAll(() => events.close());

/** Returns the first day of the month the given number of months from now. */
const firstOfMonth = (months: number) => addMonths(startOfMonth(todayInOffice()), months);

/** Creates a tenancy with a fee of 50.00 on the first of each month, posted from three months ago to next month. */
async function aPostedRule(changes: object = {}) {
  const tenancy = await aTenancy(office);
  const { recurringChargeRule } = await office.call("createRecurringCharge", {
    body: {
      leaseId: tenancy.leaseId,
      amountCents: 5_000,
      categoryId: accountIds["4010"]!,
      dayOfMonth: 1,
      startDate: firstOfMonth(-3),
      kind: "fee",
      label: "Parking",
      postMissed: true,
      ...changes,
    },
  });
  await post(tenancy, firstOfMonth(1));
  return { tenancy, id: recurringChargeRule.id };
}
const post = ({ propertyId }: Tenancy, throughDate: string) => office.call("postDueCharges", { body: { propertyId, throughDate } });
const attemptUpdate = (id: string, body: object, headers: Record<string, string> = {}) =>
  office.attempt("updateRecurringCharge", { params: { id }, body: body as never, headers });
const update = (id: string, body: object) => office.call("updateRecurringCharge", { params: { id }, body: body as never });
const chargesOf = async ({ leaseId }: Tenancy) => (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges;
const summaries = async (tenancy: Tenancy) => (await chargesOf(tenancy)).map(({ dueDate, amountCents }) => `${dueDate} ${amountCents}`);
const errorOf = ({ status, body }: { status: number; body: { errors?: { path: string; code: string }[] | undefined; code?: string | undefined } }) => [
  status,
  body.errors?.[0]?.path ?? body.code,
  body.errors?.[0]?.code,
];

describe("updateRecurringCharge", () => {
  test("charges the next month that is not posted with the changed terms, and leaves posted charges as they are", async () => {
    const { tenancy, id } = await aPostedRule();
    const before = await chargesOf(tenancy);
    const { recurringChargeRule, previousRule } = await update(id, { amountCents: 7_000, categoryId: accountIds["4090"]!, dayOfMonth: 15, label: "Garage" });
    expect(recurringChargeRule).toMatchObject({ id, amountCents: 7_000, categoryId: accountIds["4090"], dayOfMonth: 15, label: "Garage", status: "active" });
    expect(previousRule).toBeNull();
    await post(tenancy, endOfMonth(firstOfMonth(3)));
    const after = await chargesOf(tenancy);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toMatchObject(
      [2, 3].map((months) => ({
        dueDate: withDayOfMonth(firstOfMonth(months), 15),
        amountCents: 7_000,
        categoryId: accountIds["4090"],
        name: "Garage",
        recurringChargeRuleId: id,
      })),
    );
    expect(await events.waitForEvent("recurring_charge.terms_changed", id)).toMatchObject({ data: { leaseId: tenancy.leaseId, status: "active" } });
    await closingBalances(office);
  });

  test("from a later date splits the rule, so that each month is charged once", async () => {
    const { tenancy, id } = await aPostedRule();
    const { recurringChargeRule, previousRule } = await update(id, { amountCents: 7_000, dayOfMonth: 20, applyFrom: addDays(firstOfMonth(3), 1) });
    expect(previousRule).toMatchObject({ id, amountCents: 5_000, startDate: firstOfMonth(-3), endDate: addDays(firstOfMonth(4), -1) });
    expect(recurringChargeRule).toMatchObject({ amountCents: 7_000, startDate: firstOfMonth(4), endDate: null, status: "active", leaseId: tenancy.leaseId });
    await post(tenancy, endOfMonth(firstOfMonth(5)));
    await post(tenancy, endOfMonth(firstOfMonth(5)));
    expect(await summaries(tenancy)).toEqual([
      ...[-3, -2, -1, 0, 1, 2, 3].map((months) => `${firstOfMonth(months)} 5000`),
      ...[4, 5].map((months) => `${withDayOfMonth(firstOfMonth(months), 20)} 7000`),
    ]);
    expect(await events.waitForEvent("recurring_charge.created", recurringChargeRule.id)).toMatchObject({ data: { leaseId: tenancy.leaseId } });
  });

  test("sets and removes the end date", async () => {
    const { tenancy, id } = await aPostedRule();
    expect((await update(id, { endDate: firstOfMonth(2) })).recurringChargeRule.endDate).toBe(firstOfMonth(2));
    await post(tenancy, firstOfMonth(4));
    expect((await summaries(tenancy)).at(-1)).toBe(`${firstOfMonth(2)} 5000`);
    expect((await update(id, { endDate: null })).recurringChargeRule).toMatchObject({ endDate: null, status: "active" });
    await post(tenancy, firstOfMonth(3));
    expect((await summaries(tenancy)).at(-1)).toBe(`${firstOfMonth(3)} 5000`);
  });

  test("refuses an end date before a posted charge, naming its due date, until the charge is voided", async () => {
    const { tenancy, id } = await aPostedRule();
    const refused = await attemptUpdate(id, { endDate: firstOfMonth(0) });
    expect(errorOf(refused)).toEqual([400, "endDate", "min"]);
    expect(refused.body.message).toContain(firstOfMonth(1));
    const last = (await chargesOf(tenancy)).at(-1)!;
    await office.call("voidCharge", { params: { id: last.id }, body: { reason: "Moved out" } });
    expect((await attemptUpdate(id, { endDate: firstOfMonth(0) })).status).toBe(200);
  });

  test.each([
    ["applyFrom", () => ({ amountCents: 1, applyFrom: firstOfMonth(1) }), "overlap"],
    ["applyFrom", () => ({ amountCents: 1, applyFrom: firstOfMonth(4), endDate: firstOfMonth(3) }), "max"],
    ["endDate", () => ({ endDate: firstOfMonth(-4) }), "before_start"],
    ["categoryId", () => ({ categoryId: accountIds["5000"] }), "not_allowed"],
    ["categoryId", () => ({ categoryId: randomUUID() }), "not_found"],
    ["amountCents", () => ({ amountCents: 0 }), "min"],
    ["dayOfMonth", () => ({ dayOfMonth: 32 }), "max"],
    ["kind", () => ({ kind: "rent" }), "unrecognized_key"],
  ])("refuses %s", async (path, changes, code) => {
    const { tenancy, id } = await aPostedRule();
    const before = await office.call("getRecurringCharge", { params: { id } });
    expect(errorOf(await attemptUpdate(id, changes()))).toEqual([400, path, code]);
    expect(await office.call("getRecurringCharge", { params: { id } })).toEqual(before);
    expect((await office.call("listRecurringCharges", { query: { leaseId: tenancy.leaseId } })).recurringChargeRules).toHaveLength(1);
  });

  test("refuses the rent of a lease and an ended rule", async () => {
    const { leaseId } = await aTenancy(office, { createRecurringRent: true });
    const [rent] = (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
    const refused = await attemptUpdate(rent!.id, { amountCents: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, "resource_in_use"]);
    expect(refused.body.message).toContain("rent-changes");
    const { id } = await aRule();
    await office.call("endRecurringCharge", { params: { id }, body: { endDate: "2090-06-01" } });
    expect(errorOf(await attemptUpdate(id, { amountCents: 1 }))).toEqual([409, "invalid_transition", undefined]);
  });

  test("names the rent of a lease and its account, also for later rent changes and the renewal, and changes none of its other terms", async () => {
    const { leaseId } = await aTenancy(office, { createRecurringRent: true });
    const [rent] = (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
    const naming = { label: "Base rent", categoryId: accountIds["4090"]! };
    expect(await update(rent!.id, naming)).toMatchObject({ recurringChargeRule: { ...rent, ...naming, updatedAt: expect.any(String) }, previousRule: null });
    await office.call("createRentChange", { params: { id: leaseId }, body: { effectiveDate: firstOfMonth(2), rentCents: 123_400 } });
    const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId } });
    expect(recurringChargeRules).toMatchObject([
      { ...naming, amountCents: rent!.amountCents },
      { ...naming, amountCents: 123_400 },
    ]);
    await office.call("updateLease", { params: { id: leaseId }, body: { endDate: addDays(firstOfMonth(6), -1) } });
    const renewal = { startDate: firstOfMonth(6), endDate: addDays(firstOfMonth(18), -1) };
    const { lease } = await office.call("renewLease", { params: { id: leaseId }, body: renewal });
    expect((await office.call("listRecurringCharges", { query: { leaseId: lease.id } })).recurringChargeRules).toMatchObject([naming]);
    for (const change of [{ applyFrom: firstOfMonth(3) }, { endDate: null }, { dayOfMonth: 5 }])
      expect(errorOf(await attemptUpdate(rent!.id, { ...naming, ...change }))).toEqual([409, "resource_in_use", undefined]);
  });

  test("publishes each new end of the rent of a lease: by a rent change, its deletion and a termination", async () => {
    const { leaseId } = await aTenancy(office, { createRecurringRent: true });
    const [rent] = (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
    const changes = (count: number) => eventually(`${count} changes`, () => events.eventsOf("recurring_charge.terms_changed", rent!.id).length === count);
    const body = { effectiveDate: firstOfMonth(2), rentCents: 123_400 };
    const { rentChange } = await office.call("createRentChange", { params: { id: leaseId }, body });
    await changes(1);
    await office.call("deleteRentChange", { params: { id: rentChange.id } });
    await changes(2);
    await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: addDays(firstOfMonth(3), 9) } });
    await changes(3);
  });

  test("refuses an If-Match of another version", async () => {
    const { id } = await aPostedRule();
    expect((await attemptUpdate(id, { amountCents: 1 }, { "If-Match": '"99"' })).status).toBe(412);
    const { headers } = await office.attempt("getRecurringCharge", { params: { id } });
    expect((await attemptUpdate(id, { amountCents: 1 }, { "If-Match": headers.get("ETag")! })).status).toBe(200);
  });

  test("during a concurrent posting, each month is charged once, with the previous or the changed amount", async () => {
    const { tenancy, id } = await aPostedRule();
    for (let months = 2; months <= 6; months++) {
      await Promise.all([post(tenancy, firstOfMonth(months)), update(id, { amountCents: 5_000 + months })]);
      await post(tenancy, firstOfMonth(months));
    }
    const charges = await chargesOf(tenancy);
    expect(charges.map(({ dueDate }) => dueDate)).toEqual([-3, -2, -1, 0, 1, 2, 3, 4, 5, 6].map(firstOfMonth));
    for (const [index, { amountCents }] of charges.entries()) {
      const months = index - 3;
      expect(months < 2 ? [5_000] : [5_000 + months, months === 2 ? 5_000 : 5_000 + months - 1]).toContain(amountCents);
    }
  });
});

let draftTenancy: Promise<Tenancy> | undefined;
const ruleBody = async () => ({
  leaseId: (await (draftTenancy ??= aTenancy(office))).leaseId,
  amountCents: 5_000,
  categoryId: accountIds["4010"]!,
  dayOfMonth: 1,
  startDate: "2090-01-01",
  kind: "fee" as const,
  label: "Parking",
});
/** Creates a recurring charge, by default a draft. */
const aRule = async (changes: object = {}) =>
  (await office.call("createRecurringCharge", { body: { ...(await ruleBody()), status: "draft" as const, ...changes } })).recurringChargeRule;
const attemptActivate = (id: string, body: object = {}) => office.attempt("activateRecurringCharge", { params: { id }, body });
const attemptEnd = (id: string, endDate: string) => office.attempt("endRecurringCharge", { params: { id }, body: { endDate } });
const attemptDelete = (id: string) => office.attempt("deleteRecurringCharge", { params: { id } });
const readRule = async (id: string) => (await office.call("getRecurringCharge", { params: { id } })).recurringChargeRule;

describe("activateRecurringCharge", () => {
  test("charges from today on, and with postMissed from the start date on", async () => {
    const [fromToday, fromStart] = [await aTenancy(office), await aTenancy(office)];
    const draftOf = ({ leaseId }: Tenancy) => aRule({ leaseId, startDate: firstOfMonth(-2), dayOfMonth: 31 });
    await attemptActivate((await draftOf(fromToday)).id);
    const { body } = await attemptActivate((await draftOf(fromStart)).id, { postMissed: true });
    expect(body.recurringChargeRule.status).toBe("active");
    for (const tenancy of [fromToday, fromStart]) await post(tenancy, endOfMonth(firstOfMonth(0)));
    expect((await chargesOf(fromToday)).map(({ dueDate }) => dueDate)).toEqual([endOfMonth(firstOfMonth(0))]);
    expect((await chargesOf(fromStart)).map(({ dueDate }) => dueDate)).toEqual([-2, -1, 0].map((months) => endOfMonth(firstOfMonth(months))));
    expect(await events.waitForEvent("recurring_charge.updated", body.recurringChargeRule.id)).toMatchObject({ data: { status: "active" } });
  });

  test("refuses any status but draft", async () => {
    const { id } = await aRule({ status: "active" });
    expect(errorOf(await attemptActivate(id))).toEqual([409, "invalid_transition", undefined]);
    await office.call("pauseRecurringCharge", { params: { id } });
    expect(errorOf(await attemptActivate(id))).toEqual([409, "invalid_transition", undefined]);
  });

  test("refuses a draft of a lease that is not in force", async () => {
    const tenancy = await aTenancy(office);
    const { id } = await aRule({ leaseId: tenancy.leaseId });
    await office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: todayInOffice() } });
    const { id: draftId } = await aRule({ leaseId: tenancy.leaseId });
    expect((await readRule(id)).status).toBe("ended");
    expect(errorOf(await attemptActivate(draftId))).toEqual([409, "lease_not_active", undefined]);
  });
});

describe("endRecurringCharge", () => {
  test("on a future date charges up to that date", async () => {
    const { tenancy, id } = await aPostedRule();
    expect((await attemptEnd(id, firstOfMonth(2))).body.recurringChargeRule).toMatchObject({ endDate: firstOfMonth(2), status: "active" });
    await post(tenancy, firstOfMonth(4));
    expect((await summaries(tenancy)).at(-1)).toBe(`${firstOfMonth(2)} 5000`);
    expect(await events.waitForEvent("recurring_charge.terms_changed", id)).toMatchObject({ data: { status: "active" } });
  });

  test("on a past date ends a rule at once when all its charges are posted, and otherwise after they are posted", async () => {
    const tenancy = await aTenancy(office);
    const unposted = await aRule({ leaseId: tenancy.leaseId, startDate: firstOfMonth(-2), status: "active", postMissed: true });
    expect((await attemptEnd(unposted.id, addDays(firstOfMonth(0), -1))).status).toBe(200);
    await eventually("end of the rule", async () => (await readRule(unposted.id)).status === "ended");
    expect((await chargesOf(tenancy)).map(({ dueDate }) => dueDate)).toEqual([firstOfMonth(-2), firstOfMonth(-1)]);
    const skipped = await aRule({ leaseId: tenancy.leaseId, startDate: firstOfMonth(-2), status: "active" });
    expect((await attemptEnd(skipped.id, addDays(firstOfMonth(0), -1))).body.recurringChargeRule.status).toBe("ended");
  });

  test("refuses a date before the start or before a posted charge, and to end a rule again", async () => {
    const { id } = await aPostedRule();
    expect(errorOf(await attemptEnd(id, firstOfMonth(-4)))).toEqual([400, "endDate", "before_start"]);
    expect(errorOf(await attemptEnd(id, firstOfMonth(0)))).toEqual([400, "endDate", "min"]);
    const draft = await aRule();
    expect((await attemptEnd(draft.id, "2090-06-01")).body.recurringChargeRule.status).toBe("ended");
    expect(errorOf(await attemptEnd(draft.id, "2090-06-01"))).toEqual([409, "invalid_transition", undefined]);
  });

  test("refuses the rent of a lease", async () => {
    const { leaseId } = await aTenancy(office, { createRecurringRent: true });
    const [rent] = (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
    expect(errorOf(await attemptEnd(rent!.id, "2099-01-01"))).toEqual([409, "resource_in_use", undefined]);
  });
});

describe("deleteRecurringCharge", () => {
  test("deletes a draft", async () => {
    const draft = await aRule();
    const deleted = { ...draft, updatedAt: expect.any(String), deletedAt: expect.any(String) };
    expect((await attemptDelete(draft.id)).body.recurringChargeRule).toEqual(deleted);
    expect((await office.attempt("getRecurringCharge", { params: { id: draft.id } })).status).toBe(404);
    expect((await attemptDelete(draft.id)).status).toBe(404);
    expect(await events.waitForEvent("recurring_charge.deleted", draft.id)).toMatchObject({ data: { status: "draft" } });
  });

  test("shows the deleted draft only in lists with includeDeleted; other operations return 404", async () => {
    const { id, leaseId } = await aRule();
    await attemptDelete(id);
    const isListed = async (query: object = {}) =>
      (await office.call("listRecurringCharges", { query: { leaseId: leaseId!, ...query } })).recurringChargeRules.some((rule) => rule.id === id);
    expect([await isListed(), await isListed({ includeDeleted: true })]).toEqual([false, true]);
    const operations = ["activateRecurringCharge", "pauseRecurringCharge", "resumeRecurringCharge", "getRecurringChargeForecast"] as const;
    const attempts = operations.map(async (operation) => (await office.attempt(operation, { params: { id } } as never)).status);
    expect(await Promise.all(attempts)).toEqual([404, 404, 404, 404]);
  });

  test("refuses a rule that was activated", async () => {
    const { id } = await aRule({ status: "active" });
    expect(errorOf(await attemptDelete(id))).toEqual([409, "invalid_transition", undefined]);
  });
});

describe("getRecurringChargeForecast", () => {
  const forecastOf = async (id: string, months?: number) =>
    (await office.call("getRecurringChargeForecast", { params: { id }, query: months === undefined ? {} : { months } })).forecast;

  test("lists posted and coming charges of twelve months", async () => {
    const { tenancy, id } = await aPostedRule({ dayOfMonth: 31 });
    const [posted] = (await chargesOf(tenancy)).filter(({ periodStart }) => periodStart === firstOfMonth(0));
    const forecast = await forecastOf(id);
    expect(forecast[0]).toEqual({ periodStart: firstOfMonth(0), dueDate: posted!.dueDate, amountCents: 5_000, alreadyPosted: true, chargeId: posted!.id });
    expect(forecast.slice(1)).toEqual(
      Array.from({ length: 11 }, (_, index) => ({
        periodStart: firstOfMonth(index + 1),
        dueDate: endOfMonth(firstOfMonth(index + 1)),
        amountCents: 5_000,
        alreadyPosted: false,
        chargeId: null,
      })),
    );
  });

  test("ends on the end date of the rule, and starts on its start date when that is in the future", async () => {
    const { id } = await aPostedRule({ endDate: firstOfMonth(2) });
    expect((await forecastOf(id)).map(({ alreadyPosted }) => alreadyPosted)).toEqual([true, true, false]);
    expect((await forecastOf((await aRule()).id, 2)).map(({ dueDate }) => dueDate)).toEqual(["2090-01-01", "2090-02-01"]);
  });

  test.each(["0", "37", "x"])("refuses %s months", async (months) => {
    const { id } = await aRule();
    const { status, body } = await office.attempt("getRecurringChargeForecast", { params: { id }, query: { months } as never });
    expect([status, body.errors?.[0]?.path]).toEqual([400, "months"]);
  });
});

describe("listRecurringChargeCharges", () => {
  test("lists the charges of the rule only, in pages", async () => {
    const { tenancy, id } = await aPostedRule();
    await office.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 1, dueDate: firstOfMonth(0), chargeType: "fee" } });
    const { charges, total, totalPages } = await office.call("listRecurringChargeCharges", { params: { id }, query: { pageSize: 2, sortDirection: "asc" } });
    expect([charges.map(({ dueDate }) => dueDate), total, totalPages]).toEqual([[firstOfMonth(-3), firstOfMonth(-2)], 5, 3]);
    expect((await office.attempt("listRecurringChargeCharges", { params: { id: randomUUID() } })).status).toBe(404);
  });
});
