import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { aBillPayment, aFundedProperty, anExpense, aVendor, balancesOn } from "../payables.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let vendorId: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  vendorId = await aVendor(office);
});

const terms = () => ({ amountCents: 900, incurredOn: "2026-01-10", category: "maintenance" as const, propertyId: tenancy.propertyId });
const create = (change: object = {}) => office.attempt("createExpense", { body: { ...terms(), ...change } as never });
const errorsOf = async (change: object) => (await create(change)).body.errors?.map(({ path, code }) => [path, code]);
const expectNoViolations = async (of: Office) => expect(await withOwnerConnection(of, findViolations)).toEqual([]);

describe("createExpense", () => {
  test.each([
    ["maintenance", "5000"],
    ["utility", "5010"],
    ["tax", "5020"],
    ["insurance", "5030"],
    ["management", "5040"],
    ["other", "5090"],
  ] as const)("debits an expense of the category %s to %s and owes it at the property, on no cash account", async (category, code) => {
    const own = await anOffice();
    const [{ propertyId, unitId }, vendor] = [await aTenancy(own), await aVendor(own)];
    const expense = await anExpense(own, propertyId, 900, { category, unitId, vendorId: vendor, dueOn: "2026-02-10", invoiceNumber: "A-1" });
    expect(expense).toMatchObject({
      amountCents: 900,
      outstandingCents: 900,
      paidCents: 0,
      status: "active",
      approvalStatus: "not_required",
      vendorName: "Vera Vendor",
    });
    expect(await balancesOn(own, "2026-01-10", { propertyId })).toEqual({ [code]: 900, "2000": -900 });
    expect(await balancesOn(own, "2026-01-09", { propertyId })).toEqual({});
    expect(await balancesOn(own, "2026-01-10", { propertyId, basis: "cash" })).toEqual({});
  });

  test("records a second invoice of the same number and vendor, and names the first", async () => {
    const first = await anExpense(office, tenancy.propertyId, 100, { vendorId, invoiceNumber: "INV-7" });
    const { body } = await create({ vendorId, invoiceNumber: "inv-7" });
    expect(body).toMatchObject({ expense: { invoiceNumber: "inv-7" }, possibleDuplicates: [first.id] });
    expect((await create({ vendorId: await aVendor(office, "Other Vendor"), invoiceNumber: "INV-7" })).body.possibleDuplicates).toEqual([]);
  });

  test("names an account that is no expense account, unknown records, and a unit of another property", async () => {
    const [accounts, other] = [await accountIdsByCode(office), await aTenancy(office)];
    expect(await errorsOf({ categoryId: accounts["4000"] })).toEqual([["categoryId", "not_allowed"]]);
    expect(await errorsOf({ propertyId: randomUUID() })).toEqual([["propertyId", "not_found"]]);
    expect(await errorsOf({ vendorId: randomUUID() })).toEqual([["vendorId", "not_found"]]);
    expect(await errorsOf({ ownerId: randomUUID() })).toEqual([["ownerId", "not_found"]]);
    expect(await errorsOf({ workOrderId: randomUUID() })).toEqual([["workOrderId", "not_found"]]);
    expect(await errorsOf({ unitId: other.unitId })).toEqual([["unitId", "mismatch"]]);
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: other.propertyId, title: "Roof" } });
    expect(await errorsOf({ workOrderId: workOrder.id })).toEqual([["workOrderId", "mismatch"]]);
    expect(await errorsOf({ dueOn: "2026-01-09" })).toEqual([["dueOn", "before_start"]]);
    expect(await errorsOf({ amountCents: 0 })).toEqual([["amountCents", "min"]]);
  });

  test("refuses a deleted vendor and a day in a closed accounting period", async () => {
    const own = await anOffice();
    const [{ propertyId }, vendor] = [await aTenancy(own), await aVendor(own)];
    await own.call("deleteVendor", { params: { id: vendor } });
    const body = { amountCents: 1, incurredOn: "2026-01-31", category: "other" as const, propertyId };
    expect(await own.attempt("createExpense", { body: { ...body, vendorId: vendor } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "vendorId" }] },
    });
    await closeMonth(own, "2026-01");
    expect(await own.attempt("createExpense", { body })).toMatchObject({ status: 409, body: { code: "period_closed" } });
  });
});

describe("listExpenses", () => {
  test("filters, sorts and sums all pages, without the amounts of voided expenses", async () => {
    const own = await anOffice();
    const [{ propertyId, bankAccountId }, vendor] = [await aFundedProperty(own, 5_000), await aVendor(own, "Zoe")];
    const paid = await anExpense(own, propertyId, 100, { vendorId: vendor, name: "Gutter", dueOn: "2026-01-12" });
    const open = await anExpense(own, propertyId, 200, { category: "tax", incurredOn: "2026-02-01", needsApproval: true, invoiceNumber: "No. 4711/B" });
    const voided = await anExpense(own, propertyId, 300, { incurredOn: "2026-03-01" });
    await own.call("voidExpense", { params: { id: voided.id }, body: {} });
    await own.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 100, [{ expenseId: paid.id, amountCents: 100 }]) });
    const list = async (query: Record<string, string>) => (await own.call("listExpenses", { query })).expenses.map(({ id }) => id);
    const all = await own.call("listExpenses", { query: { pageSize: "1" } });
    expect([all.total, all.totals]).toEqual([3, { amountCents: 300, outstandingCents: 200 }]);
    expect(await list({ sortBy: "amountCents", sortDirection: "asc" })).toEqual([paid.id, open.id, voided.id]);
    expect(await list({ unpaidOnly: "true" })).toEqual([open.id]);
    expect(await list({ search: "zoe" })).toEqual([paid.id]);
    expect([await list({ search: "4711/b" }), await list({ search: "gut" }), await list({ search: "x4711" })]).toEqual([[open.id], [paid.id], []]);
    expect(await list({ category: "tax,utility" })).toEqual([open.id]);
    expect(await list({ approvalStatus: "pending" })).toEqual([open.id]);
    expect(await list({ status: "voided" })).toEqual([voided.id]);
    expect(await list({ vendorId: vendor, incurredBefore: "2026-01-31" })).toEqual([paid.id]);
    expect(await list({ dueBefore: "2026-01-12" })).toEqual([paid.id]);
  });

  test("shows the new name of a vendor", async () => {
    const own = await anOffice();
    const [{ propertyId }, vendor] = [await aTenancy(own), await aVendor(own)];
    const { id } = await anExpense(own, propertyId, 100, { vendorId: vendor });
    await own.call("updateVendor", { params: { id: vendor }, body: { name: "Vera & Sons" } });
    await eventually("new name", async () => (await own.call("getExpense", { params: { id } })).expense.vendorName === "Vera & Sons");
  });
});

describe("updateExpense", () => {
  test("posts a changed expense anew on its day, and leaves the journal of a new description alone", async () => {
    const own = await anOffice();
    const [first, second] = [await aTenancy(own), await aTenancy(own)];
    const expense = await anExpense(own, first.propertyId, 900);
    const change = async (body: object) => (await own.call("updateExpense", { params: { id: expense.id }, body: body as never })).expense;
    expect((await change({ description: "Two windows", dueOn: "2026-03-01" })).journalEntryId).toBe(expense.journalEntryId);
    const changed = await change({ amountCents: 700, propertyId: second.propertyId, category: "utility" });
    expect(changed).toMatchObject({ amountCents: 700, outstandingCents: 700, description: "Two windows", propertyId: second.propertyId });
    expect(await balancesOn(own, "2026-01-10")).toEqual({ "5010": 700, "2000": -700 });
    expect(await balancesOn(own, "2026-01-10", { propertyId: first.propertyId })).toEqual({});
    await expectNoViolations(own);
  });

  test("refuses a new amount once a payment settles the expense or its period is closed, and any change of a voided one", async () => {
    const own = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(own, 5_000);
    const expense = await anExpense(own, propertyId, 900);
    await own.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 100, [{ expenseId: expense.id, amountCents: 100 }]) });
    const attempt = (id: string, body: object) => own.attempt("updateExpense", { params: { id }, body: body as never });
    expect(await attempt(expense.id, { amountCents: 800 })).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    expect((await attempt(expense.id, { name: "Paint", amountCents: 900 })).status).toBe(200);
    const [closed, voided] = [await anExpense(own, propertyId, 50), await anExpense(own, propertyId, 60, { incurredOn: "2026-02-01" })];
    await own.call("voidExpense", { params: { id: voided.id }, body: {} });
    await closeMonth(own, "2026-01");
    expect(await attempt(closed.id, { amountCents: 51 })).toMatchObject({ status: 409, body: { code: "period_closed" } });
    expect(await attempt(voided.id, { name: "Late" })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });
});

describe("an expense of a vendor that was deleted since", () => {
  test("keeps the vendor when something else is changed, and refuses the vendor when it is named anew", async () => {
    const own = await anOffice();
    const [{ propertyId, bankAccountId }, vendor] = [await aFundedProperty(own, 100), await aVendor(own)];
    const { id } = await anExpense(own, propertyId, 100, { vendorId: vendor });
    await own.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 100, [{ expenseId: id, amountCents: 100 }]) });
    await own.call("deleteVendor", { params: { id: vendor } });
    const changes = { description: "New lock" };
    expect((await own.call("updateExpense", { params: { id }, body: changes })).expense).toMatchObject({ ...changes, vendorId: vendor });
    expect((await own.attempt("updateExpense", { params: { id }, body: { vendorId: vendor } })).status).toBe(400);
  });
});

describe("approval", () => {
  test("keeps an expense from being paid until it is approved, and again after its amount has changed", async () => {
    const own = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(own, 5_000);
    const { id } = await anExpense(own, propertyId, 900, { needsApproval: true });
    const pay = () => own.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, 900, [{ expenseId: id, amountCents: 900 }]) });
    const decide = (operation: "approveExpense" | "rejectExpense") => own.attempt(operation, { params: { id }, body: {} });
    const refused = { status: 409, body: { code: "invalid_transition" } };
    expect(await pay()).toMatchObject(refused);
    expect((await decide("rejectExpense")).status).toBe(200);
    expect(await decide("rejectExpense")).toMatchObject(refused);
    expect(await pay()).toMatchObject(refused);
    expect((await decide("approveExpense")).status).toBe(200);
    await own.call("updateExpense", { params: { id }, body: { amountCents: 901 } });
    expect(await pay()).toMatchObject(refused);
    await decide("approveExpense");
    expect((await pay()).status).toBe(200);
    expect(await decide("rejectExpense")).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    const without = await anExpense(own, propertyId, 5);
    expect(await own.attempt("approveExpense", { params: { id: without.id }, body: {} })).toMatchObject(refused);
  });
});

describe("voidExpense", () => {
  test("takes the expense back, once, and not while a payment settles it", async () => {
    const own = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(own, 5_000);
    const { id } = await anExpense(own, propertyId, 900);
    const { expensePayment } = await own.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 100, [{ expenseId: id, amountCents: 100 }]) });
    const attempt = () => own.attempt("voidExpense", { params: { id }, body: { reason: "billed twice" } });
    expect(await attempt()).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    await own.call("voidExpensePayment", { params: { id: expensePayment.id }, body: { reason: "lost" } });
    expect(await attempt()).toMatchObject({ status: 200, body: { expense: { status: "voided", outstandingCents: 0, voidReason: "billed twice" } } });
    expect(await attempt()).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await balancesOn(own, "2199-12-31", { propertyId })).toEqual({ "1000": 5_000, "4000": -5_000 });
    await expectNoViolations(own);
  });
});

describe("splitExpense", () => {
  test("replaces an expense by its parts on the same day", async () => {
    const own = await anOffice();
    const [first, second, vendor] = [await aTenancy(own), await aTenancy(own), await aVendor(own)];
    const expense = await anExpense(own, first.propertyId, 1_000, { vendorId: vendor, invoiceNumber: "9", dueOn: "2026-02-01" });
    const split = (...amounts: number[]) =>
      own.attempt("splitExpense", {
        params: { id: expense.id },
        body: { lines: amounts.map((amountCents, index) => ({ amountCents, propertyId: [first, second][index]!.propertyId })) },
      });
    expect(await split(400, 599)).toMatchObject({ status: 400, body: { errors: [{ path: "lines", code: "mismatch" }] } });
    const { body } = await split(400, 600);
    expect(body.expenses).toMatchObject([
      {
        propertyId: first.propertyId,
        amountCents: 400,
        outstandingCents: 400,
        vendorId: vendor,
        invoiceNumber: "9",
        dueOn: "2026-02-01",
        incurredOn: "2026-01-10",
      },
      { propertyId: second.propertyId, amountCents: 600 },
    ]);
    expect(await split(400, 600)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await balancesOn(own, "2026-01-10", { propertyId: second.propertyId })).toEqual({ "5000": 600, "2000": -600 });
    expect(await balancesOn(own, "2026-01-10")).toEqual({ "5000": 1_000, "2000": -1_000 });
    await expectNoViolations(own);
  });

  test("names a line with a unit of another property", async () => {
    const other = await aTenancy(office);
    const { id } = await anExpense(office, tenancy.propertyId, 100);
    const lines = [
      { propertyId: tenancy.propertyId, amountCents: 50 },
      { propertyId: tenancy.propertyId, unitId: other.unitId, amountCents: 50 },
    ];
    expect(await office.attempt("splitExpense", { params: { id }, body: { lines } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "lines.1.unitId", code: "mismatch" }] },
    });
  });
});
