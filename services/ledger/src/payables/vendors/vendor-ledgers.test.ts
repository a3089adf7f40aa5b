import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aBankAccount } from "../../trust/trust.fixtures.ts";
import { aBillPayment, aFundedProperty, anExpense, aVendor } from "../payables.fixtures.ts";

let office: Office;
let propertyId: string;
let bankAccountId: string;
beforeAll(async () => {
  office = await anOffice();
  ({ propertyId, bankAccountId } = await aFundedProperty(office, 500_000));
});

const pay = async (amountCents: number, allocations: { expenseId: string; amountCents: number }[], change: object = {}) =>
  (await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, amountCents, allocations, change) })).expensePayment;
const ledgerOf = (id: string, query = {}) => office.call("listVendorLedger", { params: { id }, query });
const outstandingOf = async (id: string) => (await office.call("getVendor", { params: { id } })).vendor.outstandingCents;

describe("listVendorLedger", () => {
  test("has the bills and payments of the vendor with what is owed after each", async () => {
    const vendorId = await aVendor(office);
    const bill = await anExpense(office, propertyId, 8_000, { vendorId, invoiceNumber: "A-1", name: "Pipe" });
    const later = await anExpense(office, propertyId, 2_000, { vendorId, incurredOn: "2026-01-25" });
    const payment = await pay(5_000, [{ expenseId: bill.id, amountCents: 5_000 }], { vendorId });
    const { entries, openingBalanceCents, closingBalanceCents, total } = await ledgerOf(vendorId);
    expect(entries).toMatchObject([
      { date: "2026-01-10", kind: "bill", description: "Pipe (invoice A-1)", creditCents: 8_000, debitCents: 0, balanceCents: 8_000, expenseId: bill.id },
      { date: "2026-01-20", kind: "payment", debitCents: 5_000, creditCents: 0, balanceCents: 3_000, expenseId: null, expensePaymentId: payment.id },
      { date: "2026-01-25", kind: "bill", creditCents: 2_000, balanceCents: 5_000, expenseId: later.id, expensePaymentId: null },
    ]);
    expect([openingBalanceCents, closingBalanceCents, total, await outstandingOf(vendorId)]).toEqual([0, 5_000, 3, 5_000]);

    const january = await ledgerOf(vendorId, { from: "2026-01-15", to: "2026-01-20", sortDirection: "desc", pageSize: 1 });
    expect([january.openingBalanceCents, january.closingBalanceCents, january.total, january.entries[0]!.balanceCents]).toEqual([8_000, 3_000, 1, 3_000]);
    const { body } = await office.attempt("listVendorLedger", { params: { id: vendorId }, query: { from: "2026-02-01", to: "2026-01-01" } });
    expect(body.errors).toMatchObject([{ path: "from", code: "before_start" }]);
  });

  test("counts an advance that is allocated later once, and takes voids back", async () => {
    const vendorId = await aVendor(office);
    const advance = await pay(3_000, [], { vendorId, bankAccountId: await aBankAccount(office, "business") });
    expect((await ledgerOf(vendorId)).closingBalanceCents).toBe(-3_000);
    const bill = await anExpense(office, propertyId, 4_000, { vendorId });
    await office.call("allocateExpensePayment", { params: { id: advance.id }, body: { allocations: [{ expenseId: bill.id, amountCents: 3_000 }] } });
    expect((await ledgerOf(vendorId)).closingBalanceCents).toBe(await outstandingOf(vendorId));
    await office.call("voidExpensePayment", { params: { id: advance.id }, body: { reason: "Lost check" } });
    await office.call("voidExpense", { params: { id: bill.id } });
    const { entries, closingBalanceCents } = await ledgerOf(vendorId);
    expect([
      closingBalanceCents,
      entries.filter(({ kind }) => kind === "void").map(({ expenseId, expensePaymentId }) => expenseId ?? expensePaymentId),
    ]).toEqual([0, [advance.id, bill.id]]);
  });

  test("leaves out bills that were moved to another vendor, and payments of expenses that name no vendor", async () => {
    const [wrong, right] = [await aVendor(office), await aVendor(office)];
    const bill = await anExpense(office, propertyId, 1_000, { vendorId: wrong });
    await office.call("updateExpense", { params: { id: bill.id }, body: { vendorId: right } });
    expect([(await ledgerOf(wrong)).closingBalanceCents, (await ledgerOf(right)).closingBalanceCents]).toEqual([0, 1_000]);
    const unnamed = await anExpense(office, propertyId, 700);
    await pay(
      1_700,
      [bill.id, unnamed.id].map((expenseId, index) => ({ expenseId, amountCents: [1_000, 700][index]! })),
      { vendorId: right },
    );
    expect([(await ledgerOf(right)).closingBalanceCents, await outstandingOf(right)]).toEqual([0, 0]);
  });

  test("is also sent as CSV, and read again in an earlier version", async () => {
    const vendorId = await aVendor(office);
    await anExpense(office, propertyId, 900, { vendorId });
    const { ledgerVersion } = await ledgerOf(vendorId);
    await anExpense(office, propertyId, 100, { vendorId });
    expect([(await ledgerOf(vendorId, { ledgerVersion })).closingBalanceCents, (await ledgerOf(vendorId)).closingBalanceCents]).toEqual([900, 1_000]);
    const csv = await office.raw("GET", `/api/vendors/${vendorId}/ledger`, undefined, { Accept: "text/csv" });
    expect((await csv.text()).trim().split(/\r?\n/)).toHaveLength(3);
  });
});

describe("listVendorExpenses and listVendorPayments", () => {
  test("return those of the vendor alone, with the filters of the office's lists", async () => {
    const [vendorId, other] = [await aVendor(office), await aVendor(office)];
    const [small, large] = [await anExpense(office, propertyId, 300, { vendorId }), await anExpense(office, propertyId, 900, { vendorId })];
    const foreign = await anExpense(office, propertyId, 500, { vendorId: other });
    const payment = await pay(300, [{ expenseId: small.id, amountCents: 300 }], { vendorId });
    await pay(500, [{ expenseId: foreign.id, amountCents: 500 }], { vendorId: other });
    const params = { id: vendorId };
    const all = await office.call("listVendorExpenses", { params, query: { sortBy: "amountCents", sortDirection: "asc" } });
    expect([all.expenses.map(({ id }) => id), all.totals]).toEqual([[small.id, large.id], { amountCents: 1_200, outstandingCents: 900 }]);
    expect((await office.call("listVendorExpenses", { params, query: { unpaidOnly: "true" } })).expenses.map(({ id }) => id)).toEqual([large.id]);
    expect((await office.call("listVendorPayments", { params })).expensePayments.map(({ id }) => id)).toEqual([payment.id]);
    expect((await office.call("listVendorPayments", { params, query: { status: "voided" } })).total).toBe(0);
  });

  test("keep those of a deleted vendor, and return 404 for an unknown one or one of another organization", async () => {
    const deleted = await aVendor(office);
    const bill = await anExpense(office, propertyId, 300, { vendorId: deleted });
    await pay(300, [{ expenseId: bill.id, amountCents: 300 }], { vendorId: deleted });
    await office.call("deleteVendor", { params: { id: deleted } });
    expect((await office.call("listVendorExpenses", { params: { id: deleted } })).total).toBe(1);
    const foreign = await aVendor(await anOffice());
    for (const id of [foreign, randomUUID()])
      for (const operation of ["listVendorLedger", "listVendorExpenses", "listVendorPayments"] as const)
        expect((await office.attempt(operation, { params: { id } })).status).toBe(404);
  });
});
