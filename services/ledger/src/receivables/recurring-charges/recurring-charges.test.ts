import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { recordEvents, type EventRecorder } from "../../../test/ledger.fixtures.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
let office: Office;
let tenancy: Tenancy;
let categoryId: string;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  const { categories } = await office.call("listCategories");
  categoryId = categories.find(({ code }) => code === "4010")!.id;
  events = await recordEvents(office);
});
afterAll(() => events.close());

/** Returns the request body of a parking fee that starts too far in the future to be posted. */
const ruleBody = (changes: object = {}) => ({
  leaseId: tenancy.leaseId,
  amountCents: 5_000,
  categoryId,
  dayOfMonth: 1,
  startDate: "2190-01-01",
  kind: "fee" as const,
  label: "Parking",
  ...changes,
});
const createRule = async (changes: object = {}) => (await office.call("createRecurringCharge", { body: ruleBody(changes) })).recurringChargeRule;
const pause = (id: string, headers: Record<string, string> = {}) => office.attempt("pauseRecurringCharge", { params: { id }, headers });
const resume = (id: string) => office.attempt("resumeRecurringCharge", { params: { id }, body: {} });

describe("createRecurringCharge", () => {
  test("refuses an active recurring charge on a lease that has ended or is a draft, and charges nothing", async () => {
    const { propertyId, unitId, tenantId, leaseId } = await aTenancy(office);
    await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2026-10-31" } });
    const terms = { startDate: "2027-02-01", endDate: "2027-12-31", termType: "fixed" as const, rentCents: 1_000 };
    const draft = await office.call("createLease", { body: { propertyId, unitId, tenantId, ...terms } });
    for (const id of [leaseId, draft.lease.id]) {
      const { status, body } = await office.attempt("createRecurringCharge", { body: ruleBody({ leaseId: id, startDate: "2026-09-01", postMissed: true }) });
      expect([status, body.code]).toEqual([409, "lease_not_active"]);
      await office.call("postDueCharges", { body: {} });
      expect((await office.call("listCharges", { query: { leaseId: id, chargeType: "fee" } })).charges).toEqual([]);
    }
  });

  test("creates a recurring charge on a lease", async () => {
    const rule = await createRule({ endDate: "2190-12-31" });
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
    expect(await events.waitForEvent("recurring_charge.created", rule.id)).toMatchObject({ data: { leaseId: tenancy.leaseId, status: "active" } });
  });

  test("creates a recurring charge on a unit, without a lease and tenant", async () => {
    const rule = await createRule({ leaseId: undefined, unitId: tenancy.unitId, status: "draft" });
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
    ["leaseId", UNKNOWN_ID, 400],
    ["leaseId", undefined, 400],
    ["categoryId", UNKNOWN_ID, 400],
    ["postMissed", "yes", 400],
    ["unknownMember", 1, 400],
  ])("with %s = %p returns %i", async (field, value, expected) => {
    const { status, body } = await office.attempt("createRecurringCharge", { body: ruleBody({ [field]: value }) });
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors?.[0]?.path).toBe(field);
  });

  test("requires either a lease or a unit of the organization", async () => {
    const foreign = await aTenancy(await anOffice());
    const errorsFor = async (change: object) => (await office.attempt("createRecurringCharge", { body: ruleBody(change) })).body.errors;
    expect(await errorsFor({ unitId: tenancy.unitId })).toMatchObject([{ path: "leaseId" }]);
    expect(await errorsFor({ leaseId: foreign.leaseId })).toMatchObject([{ path: "leaseId", code: "not_found" }]);
    expect(await errorsFor({ leaseId: undefined, unitId: foreign.unitId })).toMatchObject([{ path: "unitId", code: "not_found" }]);
    expect(await errorsFor({ leaseId: undefined, unitId: UNKNOWN_ID })).toMatchObject([{ path: "unitId", code: "not_found" }]);
  });

  test.each(["1100", "2110", "3900", "5000"])("refuses account %s, which is not an income account", async (code) => {
    const { categories } = await office.call("listCategories");
    const account = categories.find((category) => category.code === code)!;
    const { status, body } = await office.attempt("createRecurringCharge", { body: ruleBody({ categoryId: account.id }) });
    expect([status, body.errors]).toMatchObject([400, [{ path: "categoryId", code: "not_allowed" }]]);
  });

  test("with the same Idempotency-Key creates one recurring charge", async () => {
    const label = randomUUID();
    const request = { body: ruleBody({ label }), headers: { "Idempotency-Key": randomUUID() } };
    const responses = await Promise.all(Array.from({ length: 5 }, () => office.attempt("createRecurringCharge", request)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { recurringChargeRules } = await office.call("listRecurringCharges");
    expect(recurringChargeRules.filter((rule) => rule.label === label)).toHaveLength(1);
  });
});

describe("pauseRecurringCharge and resumeRecurringCharge", () => {
  test("change the status and publish recurring_charge.updated", async () => {
    const { id } = await createRule();
    expect((await pause(id)).body.recurringChargeRule).toMatchObject({ id, status: "paused" });
    expect((await resume(id)).body.recurringChargeRule).toMatchObject({ id, status: "active" });
    await eventually("second event", () => events.eventsOf("recurring_charge.updated", id).length === 2);
    expect(events.eventsOf("recurring_charge.updated", id).map(({ data }) => data["status"])).toEqual(["paused", "active"]);
  });

  test("refuse every other transition", async () => {
    const [active, paused, draft] = [await createRule(), await createRule(), await createRule({ status: "draft" })];
    await pause(paused.id);
    const responses = [await resume(active.id), await pause(paused.id), await pause(draft.id), await resume(draft.id)];
    expect(responses.map(({ status, body }) => `${status} ${body.code}`)).toEqual(Array.from({ length: 4 }, () => "409 invalid_transition"));
  });

  test("refuse a recurring charge that ended with its lease", async () => {
    const ownTenancy = await aTenancy(office);
    const { id } = await createRule({ leaseId: ownTenancy.leaseId });
    await office.call("terminateLease", { params: { id: ownTenancy.leaseId }, body: { terminationDate: "2026-02-28" } });
    expect((await office.call("getRecurringCharge", { params: { id } })).recurringChargeRule).toMatchObject({ status: "ended", endDate: "2026-02-28" });
    expect([(await pause(id)).body.code, (await resume(id)).body.code]).toEqual(["invalid_transition", "invalid_transition"]);
  });

  test("take effect once for ten concurrent requests", async () => {
    const { id } = await createRule();
    const responses = await Promise.all(Array.from({ length: 10 }, () => pause(id)));
    expect(responses.map(({ status }) => String(status)).sort()).toEqual(["200", ...Array.from({ length: 9 }, () => "409")]);
  });

  test("refuse an If-Match of another version", async () => {
    const { id } = await createRule();
    const { headers } = await office.attempt("getRecurringCharge", { params: { id } });
    expect((await pause(id, { "If-Match": '"99"' })).status).toBe(412);
    expect((await pause(id, { "If-Match": headers.get("ETag")! })).status).toBe(200);
  });
});

describe("recurring charges", () => {
  test("of another organization are not found", async () => {
    const other = await anOffice();
    const { id } = await createRule();
    expect((await other.attempt("getRecurringCharge", { params: { id } })).status).toBe(404);
    expect((await other.attempt("pauseRecurringCharge", { params: { id } })).status).toBe(404);
    expect((await other.attempt("resumeRecurringCharge", { params: { id }, body: {} })).status).toBe(404);
    expect((await other.call("listRecurringCharges")).recurringChargeRules).toEqual([]);
  });

  test("can be read but not changed by staff", async () => {
    const staff = await office.colleague("staff");
    const { id } = await createRule();
    expect((await staff.attempt("getRecurringCharge", { params: { id } })).status).toBe(200);
    const messages = [
      await staff.attempt("createRecurringCharge", { body: ruleBody() }),
      await staff.attempt("pauseRecurringCharge", { params: { id } }),
      await staff.attempt("resumeRecurringCharge", { params: { id }, body: {} }),
    ].map(({ status, body }) => `${status} ${body.message}`);
    expect(messages).toEqual([
      "403 Only admins or managers can create recurring charges.",
      "403 Only admins or managers can pause recurring charges.",
      "403 Only admins or managers can resume recurring charges.",
    ]);
  });
});

describe("listRecurringCharges", () => {
  let newOffice: Office;
  let ownTenancy: Tenancy;
  const labels = async (query: Record<string, string | number> = {}) =>
    (await newOffice.call("listRecurringCharges", { query })).recurringChargeRules.map(({ label }) => label);

  beforeAll(async () => {
    newOffice = await anOffice();
    ownTenancy = await aTenancy(newOffice);
    const other = await aTenancy(newOffice);
    const rentAccountId = (await newOffice.call("listCategories")).categories.find(({ code }) => code === "4000")!.id;
    const create = (label: string, change: object) =>
      newOffice.call("createRecurringCharge", { body: { ...ruleBody({ label, categoryId: rentAccountId }), ...change } });
    await create("parking", { leaseId: ownTenancy.leaseId });
    await create("rent", { leaseId: other.leaseId, kind: "rent" });
    await create("water", { leaseId: undefined, unitId: ownTenancy.unitId });
  });

  test("returns all recurring charges without paging parameters, oldest first", async () => {
    const response = await newOffice.call("listRecurringCharges");
    expect(response.recurringChargeRules.map(({ label }) => label)).toEqual(["parking", "rent", "water"]);
    expect(response).not.toHaveProperty("total");
  });

  test("returns a page with totals when paging parameters are given", async () => {
    expect(await newOffice.call("listRecurringCharges", { query: { page: 2, pageSize: 2 } })).toMatchObject({
      recurringChargeRules: [{ label: "water" }],
      page: 2,
      pageSize: 2,
      total: 3,
      totalPages: 2,
    });
    expect(await newOffice.call("listRecurringCharges", { query: { page: 1 } })).toMatchObject({ pageSize: 20, total: 3 });
    expect(await newOffice.call("listRecurringCharges", { query: { pageSize: 1 } })).toMatchObject({ page: 1, totalPages: 3 });
  });

  test("filters by every query parameter", async () => {
    expect(await labels({ leaseId: ownTenancy.leaseId })).toEqual(["parking"]);
    expect(await labels({ unitId: ownTenancy.unitId })).toEqual(["parking", "water"]);
    expect(await labels({ kind: "rent" })).toEqual(["rent"]);
    const { recurringChargeRules } = await newOffice.call("listRecurringCharges");
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
    const { status, body } = await newOffice.attempt("listRecurringCharges", { query: { [field]: value } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  });
});
