import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/office.ts";
import { aTenancy, type Tenancy } from "../../../../../test/tenancy.ts";
import { listening, soon } from "../../../test/ledger.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let categoryId: string;
let ear: Awaited<ReturnType<typeof listening>>;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  const { categories } = await office.call("listCategories");
  categoryId = categories.find(({ code }) => code === "4010")!.id;
  ear = await listening(office);
});
afterAll(() => ear.close());

/** Parking from far in the future, so that nothing is posted. */
const terms = (change: object = {}) => ({
  leaseId: tenancy.leaseId,
  amountCents: 5_000,
  categoryId,
  dayOfMonth: 1,
  startDate: "2190-01-01",
  kind: "fee" as const,
  label: "Parking",
  ...change,
});
const aRule = async (change: object = {}) => (await office.call("createRecurringCharge", { body: terms(change) })).recurringChargeRule;
const pause = (id: string, headers: Record<string, string> = {}) => office.attempt("pauseRecurringCharge", { params: { id }, headers });
const resume = (id: string) => office.attempt("resumeRecurringCharge", { params: { id }, body: {} });

describe("createRecurringCharge", () => {
  test("sets up a rule on a lease", async () => {
    const rule = await aRule({ endDate: "2190-12-31" });
    expect(rule).toMatchObject({
      ...tenancy,
      organizationId: office.organizationId,
      amountCents: 5_000,
      categoryId,
      dayOfMonth: 1,
      startDate: "2190-01-01",
      endDate: "2190-12-31",
      frequency: "monthly",
      kind: "fee",
      label: "Parking",
      status: "active",
    });
    expect(await office.call("getRecurringCharge", { params: { id: rule.id } })).toEqual({ recurringChargeRule: rule });
    expect(await ear.hears("recurring_charge.created", rule.id)).toMatchObject({ data: { leaseId: tenancy.leaseId, status: "active" } });
  });

  test("sets up a rule on a unit, whoever lives there", async () => {
    const rule = await aRule({ leaseId: undefined, unitId: tenancy.unitId, status: "draft" });
    expect(rule).toMatchObject({ leaseId: null, tenantId: null, unitId: tenancy.unitId, propertyId: tenancy.propertyId, endDate: null, status: "draft" });
  });

  test.each([
    ["amountCents", 1, 200],
    ["amountCents", 0, 400],
    ["amountCents", 2 ** 53, 400],
    ["dayOfMonth", 1, 200],
    ["dayOfMonth", 31, 200],
    ["dayOfMonth", 0, 400],
    ["dayOfMonth", 32, 400],
    ["dayOfMonth", 1.5, 400],
    ["startDate", "2190-02-29", 400],
    ["endDate", "2190-01-01", 200],
    ["endDate", "2189-12-31", 400],
    ["endDate", null, 200],
    ["kind", "gift", 400],
    ["label", "l".repeat(160), 200],
    ["label", "l".repeat(161), 400],
    ["label", " ", 400],
    ["frequency", "monthly", 200],
    ["frequency", "weekly", 400],
    ["status", "draft", 200],
    ["status", "paused", 400],
    ["leaseId", randomUUID(), 400],
    ["leaseId", undefined, 400],
    ["categoryId", randomUUID(), 400],
    ["postMissed", "yes", 400],
    ["surprise", 1, 400],
  ])("with %s = %p answers %i", async (field, value, expected) => {
    const { status, body } = await office.attempt("createRecurringCharge", { body: terms({ [field]: value }) });
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors?.[0]?.path).toBe(field);
  });

  test("belongs to a lease or to a unit, not to both, and to one of its own organization", async () => {
    const theirs = await aTenancy(await anOffice());
    const refused = async (change: object) => (await office.attempt("createRecurringCharge", { body: terms(change) })).body.errors;
    expect(await refused({ unitId: tenancy.unitId })).toMatchObject([{ path: "leaseId" }]);
    expect(await refused({ leaseId: theirs.leaseId })).toMatchObject([{ path: "leaseId", code: "not_found" }]);
    expect(await refused({ leaseId: undefined, unitId: theirs.unitId })).toMatchObject([{ path: "unitId", code: "not_found" }]);
    expect(await refused({ leaseId: undefined, unitId: randomUUID() })).toMatchObject([{ path: "unitId", code: "not_found" }]);
  });

  test("with the same Idempotency-Key sets up one rule", async () => {
    const request = { body: terms({ label: randomUUID() }), headers: { "Idempotency-Key": randomUUID() } };
    const answers = await Promise.all(Array.from({ length: 5 }, () => office.attempt("createRecurringCharge", request)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });
});

describe("pauseRecurringCharge and resumeRecurringCharge", () => {
  test("stop a rule and start it again, and say so", async () => {
    const { id } = await aRule();
    expect((await pause(id)).body.recurringChargeRule).toMatchObject({ id, status: "paused" });
    expect((await resume(id)).body.recurringChargeRule).toMatchObject({ id, status: "active" });
    await soon("both events", () => ear.of("recurring_charge.updated", id).length === 2);
    expect(ear.of("recurring_charge.updated", id).map(({ data }) => data["status"])).toEqual(["paused", "active"]);
  });

  test("refuse every other move", async () => {
    const [active, paused, draft] = [await aRule(), await aRule(), await aRule({ status: "draft" })];
    await pause(paused.id);
    const answers = [await resume(active.id), await pause(paused.id), await pause(draft.id), await resume(draft.id)];
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(Array.from({ length: 4 }, () => "409 invalid_transition"));
  });

  test("refuse to move a rule that has ended with its lease", async () => {
    const mine = await aTenancy(office);
    const { id } = await aRule({ leaseId: mine.leaseId });
    await office.call("terminateLease", { params: { id: mine.leaseId }, body: { terminationDate: "2026-02-28" } });
    expect((await office.call("getRecurringCharge", { params: { id } })).recurringChargeRule).toMatchObject({ status: "ended", endDate: "2026-02-28" });
    expect([(await pause(id)).body.code, (await resume(id)).body.code]).toEqual(["invalid_transition", "invalid_transition"]);
  });

  test("happen once, however many ask at once", async () => {
    const { id } = await aRule();
    const answers = await Promise.all(Array.from({ length: 10 }, () => pause(id)));
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(["200", ...Array.from({ length: 9 }, () => "409")]);
  });

  test("refuse a version that is gone", async () => {
    const { id } = await aRule();
    const { headers } = await office.attempt("getRecurringCharge", { params: { id } });
    expect((await pause(id, { "If-Match": '"99"' })).status).toBe(412);
    expect((await pause(id, { "If-Match": headers.get("ETag")! })).status).toBe(200);
  });
});

describe("recurring charges", () => {
  test("of another organization are not found", async () => {
    const other = await anOffice();
    const { id } = await aRule();
    expect((await other.attempt("getRecurringCharge", { params: { id } })).status).toBe(404);
    expect((await other.attempt("pauseRecurringCharge", { params: { id } })).status).toBe(404);
    expect((await other.attempt("resumeRecurringCharge", { params: { id }, body: {} })).status).toBe(404);
    expect((await other.call("listRecurringCharges")).recurringChargeRules).toEqual([]);
  });

  test("are for staff to read and not to change", async () => {
    const staff = await office.colleague("staff");
    const { id } = await aRule();
    expect((await staff.attempt("getRecurringCharge", { params: { id } })).status).toBe(200);
    const sentences = [
      await staff.attempt("createRecurringCharge", { body: terms() }),
      await staff.attempt("pauseRecurringCharge", { params: { id } }),
      await staff.attempt("resumeRecurringCharge", { params: { id }, body: {} }),
    ].map(({ status, body }) => `${status} ${body.message}`);
    expect(sentences).toEqual([
      "403 Only admins or managers can create recurring charges.",
      "403 Only admins or managers can pause recurring charges.",
      "403 Only admins or managers can resume recurring charges.",
    ]);
  });
});

describe("listRecurringCharges", () => {
  let fresh: Office;
  let mine: Tenancy;
  const labels = async (query: Record<string, string | number> = {}) =>
    (await fresh.call("listRecurringCharges", { query })).recurringChargeRules.map(({ label }) => label);

  beforeAll(async () => {
    fresh = await anOffice();
    mine = await aTenancy(fresh);
    const other = await aTenancy(fresh);
    const account = (await fresh.call("listCategories")).categories.find(({ code }) => code === "4000")!.id;
    const create = (label: string, change: object) => fresh.call("createRecurringCharge", { body: { ...terms({ label, categoryId: account }), ...change } });
    await create("parking", { leaseId: mine.leaseId });
    await create("rent", { leaseId: other.leaseId, kind: "rent" });
    await create("water", { leaseId: undefined, unitId: mine.unitId });
  });

  test("answers all of them when no page is asked for, oldest first", async () => {
    const answer = await fresh.call("listRecurringCharges");
    expect(answer.recurringChargeRules.map(({ label }) => label)).toEqual(["parking", "rent", "water"]);
    expect(answer).not.toHaveProperty("total");
  });

  test("answers a page, and where in the whole it stands, when one is asked for", async () => {
    expect(await fresh.call("listRecurringCharges", { query: { page: 2, pageSize: 2 } })).toMatchObject({
      recurringChargeRules: [{ label: "water" }],
      page: 2,
      pageSize: 2,
      total: 3,
      totalPages: 2,
    });
    expect(await fresh.call("listRecurringCharges", { query: { page: 1 } })).toMatchObject({ pageSize: 20, total: 3 });
    expect(await fresh.call("listRecurringCharges", { query: { pageSize: 1 } })).toMatchObject({ page: 1, totalPages: 3 });
  });

  test("filters by what the contract names", async () => {
    expect(await labels({ leaseId: mine.leaseId })).toEqual(["parking"]);
    expect(await labels({ unitId: mine.unitId })).toEqual(["parking", "water"]);
    expect(await labels({ kind: "rent" })).toEqual(["rent"]);
    const { recurringChargeRules } = await fresh.call("listRecurringCharges");
    expect(
      await labels({
        updatedAfter: recurringChargeRules
          .map(({ updatedAt }) => updatedAt)
          .sort()
          .at(-1)!,
      }),
    ).toEqual([]);
  });

  test.each([
    ["kind", "gift"],
    ["leaseId", "1"],
    ["page", "0"],
    ["pageSize", "101"],
    ["sortBy", "label"],
  ])("refuses %s = %s", async (field, value) => {
    const { status, body } = await fresh.attempt("listRecurringCharges", { query: { [field]: value } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  });
});
