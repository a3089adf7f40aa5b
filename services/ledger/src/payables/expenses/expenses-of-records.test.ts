import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aBillPayment, aFundedProperty, anExpense, aVendor } from "../payables.fixtures.ts";

test("a vendor shows its unpaid expenses, by which vendors are sorted, and is not deleted while there are any", async () => {
  const office = await anOffice();
  const { propertyId, bankAccountId } = await aFundedProperty(office, 100_000);
  const [busy, idle, paid] = [await aVendor(office, "Busy"), await aVendor(office, "Idle"), await aVendor(office, "Paid")];
  const expense = await anExpense(office, propertyId, 8_000, { vendorId: busy });
  const settled = await anExpense(office, propertyId, 5_000, { vendorId: paid });
  const pay = (vendorId: string, id: string, amountCents: number) =>
    office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, amountCents, [{ expenseId: id, amountCents }], { vendorId }) });
  await pay(busy, expense.id, 3_000);
  await pay(paid, settled.id, 5_000);

  const { vendors } = await office.call("listVendors", { query: { sortBy: "outstandingCents", sortDirection: "desc" } });
  expect(vendors.map(({ id, outstandingCents }) => [id, outstandingCents])[0]).toEqual([busy, 5_000]);
  expect(vendors.slice(1).map(({ outstandingCents }) => outstandingCents)).toEqual([0, 0]);
  expect((await office.call("getVendor", { params: { id: busy } })).vendor.outstandingCents).toBe(5_000);

  const deletion = await office.attempt("deleteVendor", { params: { id: busy } });
  expect([deletion.status, deletion.body.code, deletion.body.message]).toEqual([409, "resource_in_use", expect.stringContaining("unpaid expense")]);
  await pay(busy, expense.id, 5_000);
  expect((await office.call("deleteVendor", { params: { id: busy } })).vendor.outstandingCents).toBe(0);
  await office.call("deleteVendor", { params: { id: idle } });
});

test("a work order shows its expenses until they are voided, everywhere it is returned", async () => {
  const office = await anOffice();
  const { propertyId } = await aFundedProperty(office, 100_000);
  const { workOrder } = await office.call("createWorkOrder", { body: { title: "Leak", description: "Drip", propertyId } });
  expect(workOrder.expenseIds).toEqual([]);
  const [first, second] = [
    await anExpense(office, propertyId, 8_000, { workOrderId: workOrder.id }),
    await anExpense(office, propertyId, 100, { workOrderId: workOrder.id }),
  ];
  const params = { id: workOrder.id };
  const ids = [first.id, second.id];
  expect((await office.call("getWorkOrder", { params })).workOrder.expenseIds).toEqual(ids);
  expect((await office.call("listWorkOrders", { query: {} })).workOrders.map(({ expenseIds }) => expenseIds)).toEqual([ids]);
  expect((await office.call("updateWorkOrder", { params, body: { title: "Leaks" } })).workOrder.expenseIds).toEqual(ids);
  expect((await office.call("transitionWorkOrder", { params, body: { status: "in_progress" } })).workOrder).toMatchObject({ expenseIds: ids });
  await office.call("voidExpense", { params: { id: first.id }, body: { reason: "billed twice" } });
  expect((await office.call("getWorkOrder", { params })).workOrder.expenseIds).toEqual([second.id]);
});
