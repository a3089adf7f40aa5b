import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Colleague, type Office } from "../../../../../test/support/office.ts";
import { addDays } from "@freehold/kit/time/plain-date";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { aBillPayment, aFundedProperty, anExpense, aVendor } from "../../payables/payables.fixtures.ts";

let office: Office;
let place: Awaited<ReturnType<typeof aFundedProperty>>;
let [vendorId, rivalId] = ["", ""];
let vendor: Colleague;
let rival: Colleague;
beforeAll(async () => {
  office = await anOffice();
  place = await aFundedProperty(office, 500_000);
  [vendorId, rivalId] = [await aVendor(office, "Vera"), await aVendor(office, "Rival")];
  [vendor, rival] = [await office.vendorUser(vendorId), await office.vendorUser(rivalId)];
});

const aWorkOrder = async (assigneeId = vendorId) =>
  (await office.call("createWorkOrder", { body: { propertyId: place.propertyId, unitId: place.unitId, title: "Pipe", vendorId: assigneeId } })).workOrder.id;
const invoice = (change: object = {}) => ({
  number: randomUUID(),
  amountCents: 1_500,
  lines: [
    { description: "Work", quantity: 1.5, unitPriceCents: 900 },
    { description: "Drive", quantity: 1, unitPriceCents: 150 },
  ],
  ...change,
});
const submit = (id: string, change: object = {}, by = vendor, headers = {}) =>
  by.attempt("submitVendorInvoice", { params: { id }, body: invoice(change), headers });

describe("submitVendorInvoice", () => {
  test("records an expense that awaits approval, at the property and unit of the work order, and cannot be paid before", async () => {
    const id = await aWorkOrder();
    const { status, body } = await submit(id, { number: "V-1" });
    expect([status, body.possibleDuplicates]).toEqual([200, []]);
    const { expense } = body;
    expect(expense).toMatchObject({
      amountCents: 1_500,
      outstandingCents: 1_500,
      invoiceNumber: "V-1",
      name: "Pipe",
      status: "active",
      approvalStatus: "pending",
      propertyId: place.propertyId,
      unitId: place.unitId,
      workOrderId: id,
      incurredOn: todayInOffice(),
      dueOn: null,
    });
    expect(expense.lines).toHaveLength(2);
    for (const hidden of ["categoryId", "journalEntryId", "ownerId", "description", "markupBps", "vendorId"]) expect(expense).not.toHaveProperty(hidden);
    expect((await office.call("getExpense", { params: { id: expense.id } })).expense).toMatchObject({
      vendorId,
      category: "maintenance",
      lines: expense.lines,
    });
    expect((await office.call("getWorkOrder", { params: { id } })).workOrder.expenseIds).toEqual([expense.id]);
    const pay = () =>
      office.attempt("recordExpensePayment", {
        body: aBillPayment(place.bankAccountId, 1_500, [{ expenseId: expense.id, amountCents: 1_500 }], { vendorId, paidAt: new Date().toISOString() }),
      });
    expect((await pay()).body.code).toBe("invalid_transition");
    await office.call("approveExpense", { params: { id: expense.id } });
    expect((await pay()).status).toBe(200);
  });

  test("uses the vendor's own account and payment terms", async () => {
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find(({ code }) => code === "5010")!.id;
    const other = (await office.call("createVendor", { body: { name: "Own terms", categoryId, paymentTermsDays: 30 } })).vendor.id;
    const { expense } = (await submit(await aWorkOrder(other), {}, await office.vendorUser(other))).body;
    expect(expense.dueOn).toBe(addDays(todayInOffice(), 30));
    expect((await office.call("getExpense", { params: { id: expense.id } })).expense.categoryId).toBe(categoryId);
  });

  test("is recorded once for a repeated request, and a number used before is named", async () => {
    const id = await aWorkOrder();
    const headers = { "Idempotency-Key": "once" };
    const [first, second] = [await submit(id, { number: "V-2" }, vendor, headers), await submit(id, { number: "V-2" }, vendor, headers)];
    expect([second.text, second.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect((await submit(id, { number: "v-2" })).body.possibleDuplicates).toEqual([first.body.expense.id]);
    expect((await submit(await aWorkOrder(rivalId), { number: "V-2" }, rival)).body.possibleDuplicates).toEqual([]);
  });

  test("refuses lines that do not add up to the amount, and documents that the vendor does not read", async () => {
    const id = await aWorkOrder();
    const upload = async (visibility: "vendor_shared" | "organization_only") =>
      (await office.call("uploadDocument", { body: { file: new File(["Bill\n"], "bill.txt"), entityType: "work_order", entityId: id, visibility } })).document
        .id;
    const [shared, internal] = [await upload("vendor_shared"), await upload("organization_only")];
    expect((await submit(id, { documentIds: [shared] })).body.expense.documentIds).toEqual([shared]);
    const refusals = [await submit(id, { amountCents: 1_499 }), await submit(id, { documentIds: [shared, internal] }), await submit(id, { lines: [] })];
    expect(refusals.map(({ status, body }) => [status, body.errors?.map(({ path, code }) => [path, code])])).toEqual([
      [400, [["lines", "mismatch"]]],
      [400, [["documentIds.1", "not_found"]]],
      [400, [["lines", "too_short"]]],
    ]);
  });

  test("refuses work orders of others like unknown ones, and cancelled ones", async () => {
    const [foreign, cancelled] = [await aWorkOrder(rivalId), await aWorkOrder()];
    await office.call("transitionWorkOrder", { params: { id: cancelled }, body: { status: "cancelled" } });
    const responses = [await submit(foreign), await submit(randomUUID()), await submit(cancelled)];
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [404, "not_found"],
      [404, "not_found"],
      [409, "invalid_transition"],
    ]);
    expect((await office.call("listExpenses", { query: { workOrderId: foreign } })).total).toBe(0);
  });
});

describe("listVendorPortalPayments", () => {
  test("returns the issued payments to the vendor with their invoices, and nothing of the office's", async () => {
    const bill = await anExpense(office, place.propertyId, 900, { vendorId, invoiceNumber: "P-1" });
    const record = async (change: object = {}) =>
      (
        await office.call("recordExpensePayment", {
          body: aBillPayment(place.bankAccountId, 300, [{ expenseId: bill.id, amountCents: 300 }], { vendorId, memo: "Hurry", ...change }),
        })
      ).expensePayment.id;
    const issued = await record({ referenceNumber: "1001", paidAt: "2026-02-03T12:00:00.000Z" });
    const [pending, voided] = [await record({ status: "pending" }), await record()];
    await office.call("voidExpensePayment", { params: { id: voided }, body: { reason: "Lost" } });
    const rivalBill = await anExpense(office, place.propertyId, 700, { vendorId: rivalId });
    const ofRival = await record({ vendorId: rivalId, allocations: [{ expenseId: rivalBill.id, amountCents: 300 }] });
    const list = (by: Colleague, query = {}) => by.call("listVendorPortalPayments", { query });
    const february = await list(vendor, { paidAfter: "2026-02-03", paidBefore: "2026-02-03" });
    expect(february.payments).toMatchObject([
      {
        id: issued,
        amountCents: 300,
        allocatedCents: 300,
        referenceNumber: "1001",
        invoices: [{ expenseId: bill.id, invoiceNumber: "P-1", amountCents: 300 }],
      },
    ]);
    for (const hidden of ["memo", "bankAccountId", "journalEntryId"]) expect(february.payments[0]).not.toHaveProperty(hidden);
    const ids = (await list(vendor)).payments.map(({ id }) => id);
    expect([pending, voided, ofRival].filter((id) => ids.includes(id))).toEqual([]);
    expect((await list(rival)).payments.map(({ id }) => id)).toEqual([ofRival]);
    await office.call("issueExpensePayment", { params: { id: pending } });
    expect((await list(vendor)).payments.map(({ id }) => id)).toContain(pending);
  });
});
