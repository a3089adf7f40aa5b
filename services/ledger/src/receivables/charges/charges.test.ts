import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { recordEvents, todayInOffice, type EventRecorder } from "../../../test/ledger.fixtures.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
let office: Office;
let tenancy: Tenancy;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  events = await recordEvents(office);
});
afterAll(() => events.close());

const chargeBody = (changes: object = {}) => ({ leaseId: tenancy.leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "rent" as const, ...changes });
const createCharge = async (changes: object = {}) => (await office.call("createCharge", { body: chargeBody(changes) })).charge;
const attemptVoid = (id: string, headers: Record<string, string> = {}) =>
  office.attempt("voidCharge", { params: { id }, body: { reason: "a mistake" }, headers });

describe("createCharge", () => {
  test("posts a receivable and income", async () => {
    const balancesBefore = await closingBalances(office);
    const charge = await createCharge({ name: " January ", memo: "as agreed", dueDate: addDays(todayInOffice(), 1) });
    expect(charge).toMatchObject({
      ...tenancy,
      organizationId: office.organizationId,
      name: "January",
      memo: "as agreed",
      amountCents: 100,
      allocatedCents: 0,
      creditedCents: 0,
      balanceCents: 100,
      status: "pending",
      isOverdue: false,
      daysOverdue: 0,
      recurringChargeRuleId: null,
      periodStart: null,
      voidedAt: null,
    });
    expect(await closingBalances(office)).toEqual({ ...balancesBefore, "1100": balancesBefore["1100"]! + 100, "4000": balancesBefore["4000"]! - 100 });
    expect(await office.call("getCharge", { params: { id: charge.id } })).toEqual({ charge, allocations: [], credits: [] });
  });

  test.each([
    ["rent", "4000", "Rent"],
    ["late_fee", "4030", "Late fee"],
    ["nsf_fee", "4040", "NSF fee"],
    ["deposit", "2110", "Deposit"],
    ["parking", "4010", "Parking"],
    ["cam", "4020", "CAM"],
    ["damage", "4090", "Damage"],
  ])("of type %s credits account %s and is named %s by default", async (chargeType, code, name) => {
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find((category) => category.code === code)!.id;
    expect(await createCharge({ chargeType })).toMatchObject({ chargeType, categoryId, name });
  });

  test("credits the given account", async () => {
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find(({ code }) => code === "4010")!.id;
    expect(await createCharge({ categoryId })).toMatchObject({ categoryId });
  });

  test("is overdue from the day after its due date", async () => {
    const overdueWhenDueIn = async (days: number) => {
      const { isOverdue, daysOverdue } = await createCharge({ dueDate: addDays(todayInOffice(), days) });
      return [isOverdue, daysOverdue];
    };
    expect([await overdueWhenDueIn(0), await overdueWhenDueIn(-1), await overdueWhenDueIn(-400)]).toEqual([
      [false, 0],
      [true, 1],
      [true, 400],
    ]);
  });

  test.each([
    ["amountCents", 1, 200],
    ["amountCents", 0, 400],
    ["amountCents", -1, 400],
    ["amountCents", 1.5, 400],
    ["amountCents", "1", 400],
    ["amountCents", 2 ** 53 - 1, 200],
    ["amountCents", 2 ** 53, 400],
    ["dueDate", "2028-02-29", 200],
    ["dueDate", "2026-02-29", 400],
    ["dueDate", "2026-01-01T00:00:00Z", 400],
    ["chargeType", "gift", 400],
    ["name", "n".repeat(160), 200],
    ["name", "n".repeat(161), 400],
    ["name", "  ", 400],
    ["memo", "m".repeat(1_000), 200],
    ["memo", "m".repeat(1_001), 400],
    ["leaseId", "not-an-id", 400],
    ["leaseId", UNKNOWN_ID, 400],
    ["categoryId", UNKNOWN_ID, 400],
    ["unknownMember", 1, 400],
  ])("with %s = %p returns %i", async (field, value, expected) => {
    const { status, body } = await office.attempt("createCharge", { body: chargeBody({ [field]: value }) });
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors?.[0]?.path).toBe(field);
    // Voided so that the largest amount does not overflow the sums of other tests.
    else if (Number(value) > 1_000) await attemptVoid(body.charge.id);
  });

  test("refuses a lease of another organization as unknown", async () => {
    const foreign = await aTenancy(await anOffice());
    const { status, body } = await office.attempt("createCharge", { body: chargeBody({ leaseId: foreign.leaseId }) });
    expect([status, body.errors]).toMatchObject([400, [{ path: "leaseId", code: "not_found" }]]);
  });

  test("with the same Idempotency-Key posts once for ten concurrent requests", async () => {
    const ownTenancy = await aTenancy(office);
    const request = { body: chargeBody({ leaseId: ownTenancy.leaseId }), headers: { "Idempotency-Key": randomUUID() } };
    const responses = await Promise.all(Array.from({ length: 10 }, () => office.attempt("createCharge", request)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await office.call("listCharges", { query: { leaseId: ownTenancy.leaseId } })).total).toBe(1);
    const { status, body } = await office.attempt("createCharge", { ...request, body: chargeBody({ leaseId: ownTenancy.leaseId, amountCents: 101 }) });
    expect([status, body.code]).toEqual([409, "idempotency_key_reused"]);
  });

  test("publishes charge.posted and charge.overdue to the office and the tenant", async () => {
    const dueDate = addDays(todayInOffice(), -1);
    const { id } = await createCharge({ dueDate });
    const { leaseId, tenantId, propertyId, unitId } = tenancy;
    const data = { leaseId, tenantId, propertyId, unitId, dueDate };
    const audience = { roles: ["admin", "manager", "staff"], tenantIds: [tenantId] };
    expect(await events.waitForEvent("charge.posted", id)).toMatchObject({ entityType: "charge", actorUserId: office.userId, data, audience });
    expect(await events.waitForEvent("charge.overdue", id)).toMatchObject({ actorUserId: null, data, audience });
  });
});

describe("the account of a charge", () => {
  const attemptWith = async (code: string, chargeType: string) => {
    const { categories } = await office.call("listCategories");
    const { status, body } = await office.attempt("createCharge", {
      body: chargeBody({ chargeType, categoryId: categories.find((category) => category.code === code)!.id }) as never,
    });
    return [status, body.errors];
  };

  test.each(["1000", "1100", "2000", "2100", "2110", "2150", "3900", "5000"])("cannot be %s, which is not an income account", async (code) => {
    expect(await attemptWith(code, "rent")).toMatchObject([400, [{ path: "categoryId", code: "not_allowed" }]]);
  });

  test.each(["2110", "4000"])("cannot be chosen for a deposit, for example %s", async (code) => {
    expect(await attemptWith(code, "deposit")).toMatchObject([400, [{ path: "categoryId", code: "not_allowed" }]]);
  });
});

describe("charges", () => {
  test("of another organization are not found", async () => {
    const other = await anOffice();
    const { id } = await createCharge();
    expect((await other.attempt("getCharge", { params: { id } })).status).toBe(404);
    expect((await other.attempt("voidCharge", { params: { id }, body: { reason: "not mine" } })).status).toBe(404);
    expect((await other.call("listCharges")).total).toBe(0);
  });

  test("can be read but not changed by staff", async () => {
    const staff = await office.colleague("staff");
    const { id } = await createCharge();
    expect((await staff.attempt("getCharge", { params: { id } })).status).toBe(200);
    expect((await staff.attempt("listCharges")).status).toBe(200);
    const messages = [
      (await staff.attempt("createCharge", { body: chargeBody() })).body,
      (await staff.attempt("voidCharge", { params: { id }, body: { reason: "no" } })).body,
      (await staff.attempt("postDueCharges", { body: {} })).body,
    ].map(({ message }) => message);
    expect(messages).toEqual([
      "Only admins or managers can create charges.",
      "Only admins or managers can void charges.",
      "Only admins or managers can post due charges.",
    ]);
  });
});

describe("listCharges", () => {
  let newOffice: Office;
  let [ownTenancy, otherTenancy]: Tenancy[] = [];
  let firstDay: string;
  const names = async (query: Record<string, string | number | boolean> = {}) => {
    const { charges, total } = await newOffice.call("listCharges", { query: { sortDirection: "asc", ...query } });
    expect(total).toBe(charges.length);
    return charges.map(({ name }) => name);
  };

  beforeAll(async () => {
    newOffice = await anOffice();
    [ownTenancy, otherTenancy] = [await aTenancy(newOffice), await aTenancy(newOffice)];
    firstDay = todayInOffice();
    const createNamed = async (name: string, { leaseId }: Tenancy, change: object) =>
      (await newOffice.call("createCharge", { body: { ...chargeBody(change), leaseId, name } })).charge.id;
    const paidId = await createNamed("paid", ownTenancy!, { amountCents: 300, dueDate: "2026-01-01" });
    const partialId = await createNamed("partial", ownTenancy!, { amountCents: 100, dueDate: "2026-02-01", chargeType: "fee", memo: "50% off_season" });
    await createNamed("future", otherTenancy!, { amountCents: 200, dueDate: "2199-01-01", chargeType: "deposit" });
    const voidedId = await createNamed("voided", otherTenancy!, { amountCents: 50, dueDate: "2026-03-01" });
    await newOffice.call("voidCharge", { params: { id: voidedId }, body: { reason: "a mistake" } });
    const allocations = [
      { chargeId: paidId, amountCents: 300 },
      { chargeId: partialId, amountCents: 40 },
    ];
    await newOffice.call("recordPayment", { body: { ...aPayment(ownTenancy!, 340), allocations } });
  });

  test("filters by every query parameter", async () => {
    expect(await names()).toEqual(["paid", "partial", "voided", "future"]);
    expect(await names({ leaseId: ownTenancy!.leaseId })).toEqual(["paid", "partial"]);
    expect(await names({ tenantId: otherTenancy!.tenantId })).toEqual(["voided", "future"]);
    expect(await names({ propertyId: ownTenancy!.propertyId, unitId: ownTenancy!.unitId })).toEqual(["paid", "partial"]);
    expect(await names({ unitId: randomUUID() })).toEqual([]);
    expect(await names({ chargeType: "fee,deposit" })).toEqual(["partial", "future"]);
    expect(await names({ status: "voided" })).toEqual(["voided"]);
    expect(await names({ status: "pending,partially_paid" })).toEqual(["partial", "future"]);
    expect(await names({ overdue: true })).toEqual(["partial"]);
    expect(await names({ overdue: false })).toEqual(["paid", "voided", "future"]);
    expect(await names({ dueAfter: "2026-02-01", dueBefore: "2026-03-01" })).toEqual(["partial", "voided"]);
    expect(await names({ createdAfter: firstDay })).toHaveLength(4);
    expect(await names({ createdBefore: addDays(firstDay, -1) })).toEqual([]);
    expect(await names({ search: "PART" })).toEqual(["partial"]);
    expect(await names({ search: "50%" })).toEqual(["partial"]);
    expect(await names({ search: "f_s" })).toEqual(["partial"]);
    expect(await names({ search: "e_s" })).toEqual([]);
  });

  test("sorts by every sort field, by default latest due date first", async () => {
    expect((await newOffice.call("listCharges")).charges.map(({ name }) => name)).toEqual(["future", "voided", "partial", "paid"]);
    expect(await names({ sortBy: "amountCents" })).toEqual(["voided", "partial", "future", "paid"]);
    expect((await names({ sortBy: "balanceCents" })).slice(2)).toEqual(["partial", "future"]);
    expect(await names({ sortBy: "createdAt" })).toEqual(["paid", "partial", "future", "voided"]);
    expect(await names({ sortBy: "status" })).toEqual(["paid", "partial", "future", "voided"]);
  });

  test("totals all matching charges, not only those of the page", async () => {
    const { charges, totals, total, totalPages } = await newOffice.call("listCharges", { query: { pageSize: 1, status: "paid,partially_paid,pending" } });
    expect([charges.length, total, totalPages, totals]).toEqual([1, 3, 3, { amountCents: 600, balanceCents: 260 }]);
    expect((await newOffice.call("listCharges", { query: { search: "nothing at all" } })).totals).toEqual({ amountCents: 0, balanceCents: 0 });
  });

  test("succeeds when sums exceed the largest safe integer", async () => {
    const other = await anOffice();
    const { leaseId } = await aTenancy(other);
    for (let count = 0; count < 2; count++) await aCharge(other, leaseId, 2 ** 53 - 1);
    const { totals, total } = await other.call("listCharges");
    expect([total, totals.amountCents]).toEqual([2, 2 ** 53 - 1]);
    expect((await other.attempt("getTrialBalance")).status).toBe(200);
    expect((await other.attempt("getLease", { params: { id: leaseId } })).status).toBe(200);
  });

  test.each([
    ["sortBy", "name"],
    ["status", "open"],
    ["chargeType", "rent,gift"],
    ["overdue", "yes"],
    ["dueAfter", "2026-02-29"],
    ["pageSize", "101"],
    ["page", "0"],
    ["search", ""],
    ["search", "s".repeat(101)],
    ["unknownMember", "1"],
  ])("refuses %s = %s", async (field, value) => {
    const { status, body } = await office.attempt("listCharges", { query: { [field]: value } });
    expect([status, body.errors?.[0]?.path.split(".")[0]]).toEqual([400, field]);
  });

  test("filters by update time", async () => {
    const otherOffice = await anOffice();
    const { leaseId } = await aTenancy(otherOffice);
    const { charge } = await otherOffice.call("createCharge", { body: { ...chargeBody(), leaseId, name: "latest" } });
    const updatedNames = async () => (await otherOffice.call("listCharges", { query: { updatedAfter: charge.updatedAt } })).charges.map(({ name }) => name);
    expect(await updatedNames()).toEqual([]);
    await eventually("next millisecond", () => Date.now() > Date.parse(charge.updatedAt));
    await otherOffice.call("voidCharge", { params: { id: charge.id }, body: { reason: "a mistake" } });
    expect(await updatedNames()).toEqual(["latest"]);
  });
});
