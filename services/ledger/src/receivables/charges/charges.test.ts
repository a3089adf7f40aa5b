import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/office.ts";
import { aCharge, aPayment, aTenancy, closing, type Tenancy } from "../../../../../test/tenancy.ts";
import { listening, soon, theDay } from "../../../test/ledger.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let ear: Awaited<ReturnType<typeof listening>>;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  ear = await listening(office);
});
afterAll(() => ear.close());

const terms = (change: object = {}) => ({ leaseId: tenancy.leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "rent" as const, ...change });
const chargeOf = async (change: object = {}) => (await office.call("createCharge", { body: terms(change) })).charge;
const voided = (id: string, headers: Record<string, string> = {}) => office.attempt("voidCharge", { params: { id }, body: { reason: "a mistake" }, headers });

describe("createCharge", () => {
  test("charges the lease: the tenant owes it, and it is income", async () => {
    const before = await closing(office);
    const charge = await chargeOf({ name: " January ", memo: "as agreed", dueDate: addDays(theDay(), 1) });
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
    expect(await closing(office)).toEqual({ ...before, "1100": before["1100"]! + 100, "4000": before["4000"]! - 100 });
    expect(await office.call("getCharge", { params: { id: charge.id } })).toEqual({ charge, allocations: [] });
  });

  test.each([
    ["rent", "4000", "Rent"],
    ["late_fee", "4030", "Late fee"],
    ["nsf_fee", "4040", "NSF fee"],
    ["deposit", "2110", "Deposit"],
    ["parking", "4010", "Parking"],
    ["cam", "4020", "CAM"],
    ["damage", "4090", "Damage"],
  ])("of type %s goes to account %s and is called %s unless it says otherwise", async (chargeType, code, name) => {
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find((category) => category.code === code)!.id;
    expect(await chargeOf({ chargeType })).toMatchObject({ chargeType, categoryId, name });
  });

  test("goes to the account it names", async () => {
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find(({ code }) => code === "4010")!.id;
    expect(await chargeOf({ categoryId })).toMatchObject({ categoryId });
  });

  test("is late from the day after its due date", async () => {
    const due = async (days: number) => {
      const { isOverdue, daysOverdue } = await chargeOf({ dueDate: addDays(theDay(), days) });
      return [isOverdue, daysOverdue];
    };
    expect([await due(0), await due(-1), await due(-400)]).toEqual([
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
    ["leaseId", randomUUID(), 400],
    ["categoryId", randomUUID(), 400],
    ["surprise", 1, 400],
  ])("with %s = %p answers %i", async (field, value, expected) => {
    const { status, body } = await office.attempt("createCharge", { body: terms({ [field]: value }) });
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors?.[0]?.path).toBe(field);
    // What counts in the largest amounts there are would burden the sums of every other test.
    else if (Number(value) > 1_000) await voided(body.charge.id);
  });

  test("refuses a lease of another organization as unknown", async () => {
    const theirs = await aTenancy(await anOffice());
    const { status, body } = await office.attempt("createCharge", { body: terms({ leaseId: theirs.leaseId }) });
    expect([status, body.errors]).toMatchObject([400, [{ path: "leaseId", code: "not_found" }]]);
  });

  test("with the same Idempotency-Key charges once, also when ten ask at once", async () => {
    const mine = await aTenancy(office);
    const request = { body: terms({ leaseId: mine.leaseId }), headers: { "Idempotency-Key": randomUUID() } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => office.attempt("createCharge", request)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await office.call("listCharges", { query: { leaseId: mine.leaseId } })).total).toBe(1);
    const { status, body } = await office.attempt("createCharge", { ...request, body: terms({ leaseId: mine.leaseId, amountCents: 101 }) });
    expect([status, body.code]).toEqual([409, "idempotency_key_reused"]);
  });

  test("is announced to the office and its tenant, and once more when it is late", async () => {
    const { id } = await chargeOf({ dueDate: addDays(theDay(), -1) });
    const { leaseId, tenantId, propertyId, unitId } = tenancy;
    const data = { leaseId, tenantId, propertyId, unitId, dueDate: addDays(theDay(), -1) };
    const audience = { roles: ["admin", "manager", "staff"], tenantIds: [tenantId] };
    expect(await ear.hears("charge.posted", id)).toMatchObject({ entityType: "charge", actorUserId: office.userId, data, audience });
    expect(await ear.hears("charge.overdue", id)).toMatchObject({ actorUserId: null, data, audience });
  });
});

describe("createCharge, the account", () => {
  test.each(["1050", "1100", "2100", "2150"])("refuses %s, which payments settle through", async (code) => {
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find((category) => category.code === code)!.id;
    const { status, body } = await office.attempt("createCharge", {
      body: { leaseId: tenancy.leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "rent", categoryId },
    });
    expect([status, body.errors?.[0]]).toMatchObject([400, { path: "categoryId", code: "not_allowed" }]);
  });
});

describe("voidCharge", () => {
  test("takes it off the books and keeps the row", async () => {
    const before = await closing(office);
    const { id } = await chargeOf();
    const { body } = await voided(id);
    expect(body.charge).toMatchObject({ status: "voided", amountCents: 100, balanceCents: 0, isOverdue: false });
    expect(body.charge.voidedAt).not.toBeNull();
    expect(await closing(office)).toEqual(before);
    expect((await office.call("getCharge", { params: { id } })).charge).toEqual(body.charge);
    expect(await ear.hears("charge.voided", id)).toMatchObject({ data: { leaseId: tenancy.leaseId }, audience: { tenantIds: [tenancy.tenantId] } });
  });

  test("links the entry and its reversal both ways", async () => {
    const mine = await aTenancy(office);
    await voided(await aCharge(office, mine.leaseId, 100));
    const { journalEntries } = await office.call("listJournalEntries", { query: { unitId: mine.unitId, sortBy: "createdAt", sortDirection: "asc" } });
    const [entry, reversal] = journalEntries;
    expect([entry, reversal]).toMatchObject([
      { source: "charge", status: "reversed", reversedById: reversal!.id },
      { source: "reversal", status: "posted", reversesId: entry!.id, memo: "Voided: Rent" },
    ]);
  });

  test("is refused while a payment is allocated to it, and open again once that is reversed", async () => {
    const { id } = await chargeOf();
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId: id, amountCents: 1 }] } });
    expect(await voided(id)).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error" } });
    expect((await voided(id)).status).toBe(200);
  });

  test("happens once, however many ask at once", async () => {
    const { id } = await chargeOf();
    const answers = await Promise.all(Array.from({ length: 10 }, () => voided(id)));
    expect(answers.map(({ status, body }) => (status === 200 ? "voided" : `${status} ${body.code}`)).sort()).toEqual([
      ...Array.from({ length: 9 }, () => "409 invalid_transition"),
      "voided",
    ]);
  });

  test("racing with a payment leaves either a voided charge or a paid one", async () => {
    const charges = await Promise.all(Array.from({ length: 10 }, () => aCharge(office, tenancy.leaseId, 10)));
    const outcomes = await Promise.all(
      charges.map(async (id) => {
        const body = { ...aPayment(tenancy, 10), allocations: [{ chargeId: id, amountCents: 10 }] };
        const [paid, gone] = await Promise.all([office.attempt("recordPayment", { body }), voided(id)]);
        const { charge } = await office.call("getCharge", { params: { id } });
        return [paid.status, gone.status, charge.status].join(" ");
      }),
    );
    for (const outcome of outcomes) expect(["200 409 paid", "409 200 voided"]).toContain(outcome);
  });

  test("refuses a version that is gone", async () => {
    const { id } = await chargeOf();
    const { headers } = await office.attempt("getCharge", { params: { id } });
    expect(await voided(id, { "If-Match": '"99"' })).toMatchObject({ status: 412, body: { code: "version_conflict" } });
    expect((await voided(id, { "If-Match": headers.get("ETag")! })).status).toBe(200);
  });

  test("with the same Idempotency-Key answers the same again", async () => {
    const { id } = await chargeOf();
    const headers = { "Idempotency-Key": randomUUID() };
    const [first, again] = [await voided(id, headers), await voided(id, headers)];
    expect([again.status, again.text, again.headers.get("Idempotent-Replayed")]).toEqual([200, first.text, "true"]);
  });

  test.each(["", " ", "r".repeat(501), undefined])("refuses the reason %p", async (reason) => {
    const { status, body } = await office.attempt("voidCharge", { params: { id: randomUUID() }, body: { reason: reason as string } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, "reason"]);
  });
});

describe("charges", () => {
  test("of another organization are not found", async () => {
    const other = await anOffice();
    const { id } = await chargeOf();
    expect((await other.attempt("getCharge", { params: { id } })).status).toBe(404);
    expect((await other.attempt("voidCharge", { params: { id }, body: { reason: "not mine" } })).status).toBe(404);
    expect((await other.call("listCharges")).total).toBe(0);
  });

  test("are for staff to read and not to change", async () => {
    const staff = await office.colleague("staff");
    const { id } = await chargeOf();
    expect((await staff.attempt("getCharge", { params: { id } })).status).toBe(200);
    expect((await staff.attempt("listCharges")).status).toBe(200);
    const sentences = [
      (await staff.attempt("createCharge", { body: terms() })).body,
      (await staff.attempt("voidCharge", { params: { id }, body: { reason: "no" } })).body,
      (await staff.attempt("postDueCharges", { body: {} })).body,
    ].map(({ message }) => message);
    expect(sentences).toEqual([
      "Only admins or managers can create charges.",
      "Only admins or managers can void charges.",
      "Only admins or managers can post due charges.",
    ]);
  });
});

describe("listCharges", () => {
  let fresh: Office;
  let [mine, theirs]: Tenancy[] = [];
  const names = async (query: Record<string, string | number | boolean> = {}) => {
    const { charges, total } = await fresh.call("listCharges", { query: { sortDirection: "asc", ...query } });
    expect(total).toBe(charges.length);
    return charges.map(({ name }) => name);
  };

  beforeAll(async () => {
    fresh = await anOffice();
    [mine, theirs] = [await aTenancy(fresh), await aTenancy(fresh)];
    const charge = async (name: string, { leaseId }: Tenancy, change: object) =>
      (await fresh.call("createCharge", { body: { ...terms(change), leaseId, name } })).charge.id;
    const paid = await charge("paid", mine!, { amountCents: 300, dueDate: "2026-01-01" });
    const partial = await charge("partial", mine!, { amountCents: 100, dueDate: "2026-02-01", chargeType: "fee", memo: "50% off_season" });
    await charge("future", theirs!, { amountCents: 200, dueDate: "2199-01-01", chargeType: "deposit" });
    const gone = await charge("gone", theirs!, { amountCents: 50, dueDate: "2026-03-01" });
    await fresh.call("voidCharge", { params: { id: gone }, body: { reason: "a mistake" } });
    const allocations = [
      { chargeId: paid, amountCents: 300 },
      { chargeId: partial, amountCents: 40 },
    ];
    await fresh.call("recordPayment", { body: { ...aPayment(mine!, 340), allocations } });
  });

  test("filters by what the contract names", async () => {
    expect(await names()).toEqual(["paid", "partial", "gone", "future"]);
    expect(await names({ leaseId: mine!.leaseId })).toEqual(["paid", "partial"]);
    expect(await names({ tenantId: theirs!.tenantId })).toEqual(["gone", "future"]);
    expect(await names({ propertyId: mine!.propertyId, unitId: mine!.unitId })).toEqual(["paid", "partial"]);
    expect(await names({ unitId: randomUUID() })).toEqual([]);
    expect(await names({ chargeType: "fee,deposit" })).toEqual(["partial", "future"]);
    expect(await names({ status: "voided" })).toEqual(["gone"]);
    expect(await names({ status: "pending,partially_paid" })).toEqual(["partial", "future"]);
    expect(await names({ overdue: true })).toEqual(["partial"]);
    expect(await names({ overdue: false })).toEqual(["paid", "gone", "future"]);
    expect(await names({ dueAfter: "2026-02-01", dueBefore: "2026-03-01" })).toEqual(["partial", "gone"]);
    expect(await names({ createdAfter: theDay() })).toHaveLength(4);
    expect(await names({ createdBefore: addDays(theDay(), -1) })).toEqual([]);
    expect(await names({ search: "PART" })).toEqual(["partial"]);
    expect(await names({ search: "50%" })).toEqual(["partial"]);
    expect(await names({ search: "f_s" })).toEqual(["partial"]);
    expect(await names({ search: "e_s" })).toEqual([]);
  });

  test("sorts by what the contract names, latest due first by itself", async () => {
    expect((await fresh.call("listCharges")).charges.map(({ name }) => name)).toEqual(["future", "gone", "partial", "paid"]);
    expect(await names({ sortBy: "amountCents" })).toEqual(["gone", "partial", "future", "paid"]);
    expect((await names({ sortBy: "balanceCents" })).slice(2)).toEqual(["partial", "future"]);
    expect(await names({ sortBy: "createdAt" })).toEqual(["paid", "partial", "future", "gone"]);
    expect(await names({ sortBy: "status" })).toEqual(["paid", "partial", "future", "gone"]);
  });

  test("totals what the filters leave, beyond the page", async () => {
    const { charges, totals, total, totalPages } = await fresh.call("listCharges", { query: { pageSize: 1, status: "paid,partially_paid,pending" } });
    expect([charges.length, total, totalPages, totals]).toEqual([1, 3, 3, { amountCents: 600, balanceCents: 260 }]);
    expect((await fresh.call("listCharges", { query: { search: "nothing at all" } })).totals).toEqual({ amountCents: 0, balanceCents: 0 });
  });

  test("still answers when the sums are beyond what is counted exactly", async () => {
    const rich = await anOffice();
    const { leaseId } = await aTenancy(rich);
    for (let count = 0; count < 2; count++) await aCharge(rich, leaseId, 2 ** 53 - 1);
    const { totals, total } = await rich.call("listCharges");
    expect([total, totals.amountCents]).toEqual([2, 2 ** 53 - 1]);
    expect((await rich.attempt("getTrialBalance")).status).toBe(200);
    expect((await rich.attempt("getLease", { params: { id: leaseId } })).status).toBe(200);
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
    ["surprise", "1"],
  ])("refuses %s = %s", async (field, value) => {
    const { status, body } = await office.attempt("listCharges", { query: { [field]: value } });
    expect([status, body.errors?.[0]?.path.split(".")[0]]).toEqual([400, field]);
  });

  test("answers only what changed after a moment", async () => {
    const { charge } = await fresh.call("createCharge", { body: { ...terms(), leaseId: mine!.leaseId, name: "latest" } });
    const changed = async () => (await fresh.call("listCharges", { query: { updatedAfter: charge.updatedAt } })).charges.map(({ name }) => name);
    expect(await changed()).toEqual([]);
    await soon("a later millisecond", () => Date.now() > Date.parse(charge.updatedAt) && true);
    await fresh.call("voidCharge", { params: { id: charge.id }, body: { reason: "a mistake" } });
    expect(await changed()).toEqual(["latest"]);
  });
});
