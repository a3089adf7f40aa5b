import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { recordEvents, todayInOffice, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { aManagedProperty, aRun } from "../management-fees/management-fees.fixtures.ts";
import { anExpense } from "../payables.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let categoryId: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  categoryId = await anIncomeAccount(office);
});

async function anIncomeAccount(of: Office): Promise<string> {
  const { categories } = await of.call("listCategories");
  return categories.find(({ accountType }) => accountType === "income")!.id;
}

const aBill = (amountCents: number, change: object = {}) => anExpense(office, tenancy.propertyId, amountCents, change);
const bodyOf = (change: object = {}) => ({ leaseId: tenancy.leaseId, categoryId, dueDate: todayInOffice(), ...change });
const charge = (id: string, change: object = {}, headers = {}) => office.attempt("chargeExpenseTenant", { params: { id }, body: bodyOf(change), headers });
const expenseOf = async (id: string) => (await office.call("getExpense", { params: { id } })).expense;
const voidBill = (id: string) => office.attempt("voidExpense", { params: { id }, body: {} });
const statusAndCode = ({ status, body }: { status: number; body: { code?: string | undefined } }) => [status, body.code];

describe("chargeExpenseTenant", () => {
  test("charges the amount with the mark-up of the expense, half up to the cent, and each names the other", async () => {
    const bill = await aBill(1_005, { name: "Broken window", markupBps: 1_000 });
    const { body } = await charge(bill.id, { memo: "Agreed by phone" });
    const terms = { amountCents: 1_106, balanceCents: 1_106, chargeType: "damage", name: "Broken window", memo: "Agreed by phone", expenseId: bill.id };
    expect(body.charge).toMatchObject({ leaseId: tenancy.leaseId, tenantId: tenancy.tenantId, categoryId, ...terms });
    expect(body.expense).toMatchObject({ chargeId: body.charge.id, amountCents: 1_005, outstandingCents: 1_005 });
    const { charge: read } = await office.call("getCharge", { params: { id: body.charge.id } });
    expect([read.expenseId, (await expenseOf(bill.id)).chargeId]).toEqual([bill.id, body.charge.id]);
  });

  test("charges another mark-up that is sent, and no mark-up where there is none, with the type of the category", async () => {
    const [water, roof] = [await aBill(2_000, { category: "utility", markupBps: 500 }), await aBill(2_000)];
    expect((await charge(water.id, { markupBps: 0 })).body.charge).toMatchObject({ amountCents: 2_000, chargeType: "utility", name: "Expense: utility" });
    expect((await charge(roof.id, { chargeType: "cam", name: "Roof" })).body.charge).toMatchObject({ amountCents: 2_000, chargeType: "cam", name: "Roof" });
  });

  test("names the work order of the expense in the charge", async () => {
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: tenancy.propertyId, title: "The door is broken" } });
    const bill = await aBill(300, { workOrderId: workOrder.id });
    expect((await charge(bill.id)).body.charge.workOrderId).toBe(workOrder.id);
  });

  test("refuses a work order whose costs the owner bears, and the lease of another unit than that of the expense", async () => {
    const place = { propertyId: tenancy.propertyId, title: "The roof leaks", chargeableTo: "owner" as const };
    const { workOrder } = await office.call("createWorkOrder", { body: place });
    const ofOwner = await aBill(300, { workOrderId: workOrder.id });
    expect(statusAndCode(await charge(ofOwner.id))).toEqual([409, "invalid_transition"]);
    await office.call("updateWorkOrder", { params: { id: workOrder.id }, body: { chargeableTo: "tenant" } });
    expect((await charge(ofOwner.id)).status).toBe(200);
    const { unit } = await office.call("createUnit", { body: { propertyId: tenancy.propertyId, unitNumber: "2", monthlyRentCents: 90_000 } });
    const nextDoor = await aBill(300, { unitId: unit.id });
    expect((await charge(nextDoor.id)).body.errors).toMatchObject([{ path: "leaseId", code: "mismatch" }]);
    expect((await charge((await aBill(300, { unitId: tenancy.unitId })).id)).status).toBe(200);
  });

  test("bills an expense once, whatever is sent at once, and repeats the response for a key", async () => {
    const [bill, other] = [await aBill(500), await aBill(600)];
    const results = await Promise.all(Array.from({ length: 6 }, () => charge(bill.id)));
    expect(results.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(results.filter(({ status }) => status !== 200).map(statusAndCode)).toEqual(Array(5).fill([409, "duplicate"]));
    const headers = { "Idempotency-Key": "bill the other" };
    const [first, second] = [await charge(other.id, {}, headers), await charge(other.id, {}, headers)];
    expect(second.body.charge.id).toBe(first.body.charge.id);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("and the void of the charge are changes of the expense, with a new version and their event", async () => {
    const events = await recordEvents(office);
    try {
      const bill = await aBill(650);
      const etagOf = async () => (await office.attempt("getExpense", { params: { id: bill.id } })).headers.get("ETag")!;
      const before = await etagOf();
      const { id } = (await charge(bill.id)).body.charge;
      expect((await expenseOf(bill.id)).updatedAt > bill.updatedAt).toBe(true);
      expect(await events.waitForEvent("expense.updated", bill.id)).toMatchObject({ data: { propertyId: tenancy.propertyId } });
      const change = { params: { id: bill.id }, body: { description: "Glass" } };
      expect(await office.attempt("updateExpense", { ...change, headers: { "If-Match": before } })).toMatchObject({ status: 412 });
      const billed = await etagOf();
      await office.call("voidCharge", { params: { id }, body: { reason: "Wrong lease" } });
      expect(await office.attempt("updateExpense", { ...change, headers: { "If-Match": billed } })).toMatchObject({ status: 412 });
    } finally {
      await events.close();
    }
  });

  test("bills an expense again after its charge was voided", async () => {
    const bill = await aBill(700);
    const first = (await charge(bill.id)).body.charge;
    await office.call("voidCharge", { params: { id: first.id }, body: { reason: "Wrong lease" } });
    expect((await expenseOf(bill.id)).chargeId).toBeNull();
    const second = (await charge(bill.id)).body.charge;
    expect([second.id === first.id, (await expenseOf(bill.id)).chargeId]).toEqual([false, second.id]);
  });

  test("keeps the expense from being rejected, voided, split, and changed in its amount and property until the charge is voided", async () => {
    const bill = await aBill(800, { needsApproval: true });
    const { id } = (await charge(bill.id)).body.charge;
    const { propertyId } = await aTenancy(office);
    const params = { id: bill.id };
    const lines = [400, 400].map((amountCents) => ({ propertyId: tenancy.propertyId, amountCents }));
    const refusals = [
      await office.attempt("rejectExpense", { params, body: {} }),
      await voidBill(bill.id),
      await office.attempt("splitExpense", { params, body: { lines } }),
      await office.attempt("updateExpense", { params, body: { amountCents: 801 } }),
      await office.attempt("updateExpense", { params, body: { propertyId } }),
    ];
    expect(refusals.map(statusAndCode)).toEqual(Array(5).fill([409, "resource_in_use"]));
    expect((await office.attempt("updateExpense", { params, body: { description: "Glass", incurredOn: "2026-01-11" } })).status).toBe(200);
    await office.call("voidCharge", { params: { id }, body: { reason: "Waived" } });
    expect((await voidBill(bill.id)).status).toBe(200);
    expect(statusAndCode(await charge(bill.id))).toEqual([409, "invalid_transition"]);
  });

  test("and the void of the expense at the same time do not both succeed", async () => {
    for (let round = 0; round < 5; round++) {
      const bill = await aBill(100 + round);
      const [charged, voided] = await Promise.all([charge(bill.id), voidBill(bill.id)]);
      expect([charged.status, voided.status].toSorted((one, other) => one - other)).toEqual([200, 409]);
      const { status, chargeId } = await expenseOf(bill.id);
      expect([status, chargeId]).toEqual(charged.status === 200 ? ["active", charged.body.charge.id] : ["voided", null]);
    }
  });

  test("lets the tenant pay the charge, and the expense stays owed to the vendor", async () => {
    const bill = await aBill(900, { markupBps: 1_000 });
    const { id, amountCents } = (await charge(bill.id)).body.charge;
    await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), allocations: [{ chargeId: id, amountCents }] } });
    expect((await office.call("getCharge", { params: { id } })).charge.status).toBe("paid");
    expect(await expenseOf(bill.id)).toMatchObject({ chargeId: id, outstandingCents: 900 });
  });

  test("refuses a lease of another property, an account that is not of income, a rejected expense and one of management fees", async () => {
    const bill = await aBill(200, { needsApproval: true });
    const [elsewhere, { categories }] = [await aTenancy(office), await office.call("listCategories")];
    const expenseAccount = categories.find(({ accountType }) => accountType === "expense")!.id;
    expect((await charge(bill.id, { leaseId: elsewhere.leaseId })).body.errors).toMatchObject([{ path: "leaseId", code: "mismatch" }]);
    expect((await charge(bill.id, { categoryId: expenseAccount })).body.errors).toMatchObject([{ path: "categoryId", code: "not_allowed" }]);
    await office.call("rejectExpense", { params: { id: bill.id }, body: {} });
    expect(statusAndCode(await charge(bill.id))).toEqual([409, "invalid_transition"]);
    const managed = await aManagedProperty();
    await aRun(managed.office);
    const [fee] = (await managed.office.call("listExpenses", { query: { category: "management" } })).expenses;
    const body = { ...bodyOf(), leaseId: managed.leaseId, categoryId: await anIncomeAccount(managed.office) };
    expect(statusAndCode(await managed.office.attempt("chargeExpenseTenant", { params: { id: fee!.id }, body }))).toEqual([409, "resource_in_use"]);
  });
});
