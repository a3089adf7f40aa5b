import { beforeAll, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { anExpense } from "../payables.fixtures.ts";

const uploadIn = async (client: Office, fileName = "invoice.txt") => {
  const upload = { file: new File([`${fileName}: 4 hours.\n`], fileName), entityType: "organization", entityId: client.organizationId } as const;
  return (await client.call("uploadDocument", { body: upload })).document.id;
};

let office: Office;
let tenancy: Tenancy;
let invoice: string;
let receipt: string;
let foreign: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  [invoice, receipt, foreign] = [await uploadIn(office), await uploadIn(office, "receipt.txt"), await uploadIn(await anOffice())];
});

const refused = (index: number) => ({ status: 400, body: { errors: [{ path: `documentIds.${index}`, code: "not_found" }] } });
const terms = () => ({ amountCents: 900, incurredOn: "2026-01-10", category: "maintenance" as const, propertyId: tenancy.propertyId });

test("an expense refers to documents of the organization, each once, and shows them wherever it is read", async () => {
  const expense = await anExpense(office, tenancy.propertyId, 900, { documentIds: [invoice, invoice, receipt] });
  expect(expense.documentIds).toEqual([invoice, receipt]);
  expect((await office.call("getExpense", { params: { id: expense.id } })).expense.documentIds).toEqual([invoice, receipt]);
  const { expenses } = await office.call("listExpenses", { query: { propertyId: tenancy.propertyId } });
  expect(expenses.find(({ id }) => id === expense.id)!.documentIds).toEqual([invoice, receipt]);
  const lines = [400, 500].map((amountCents) => ({ propertyId: tenancy.propertyId, amountCents }));
  const { expenses: parts } = await office.call("splitExpense", { params: { id: expense.id }, body: { lines } });
  expect(parts.map(({ documentIds }) => documentIds)).toEqual([
    [invoice, receipt],
    [invoice, receipt],
  ]);
});

test("a document of another organization is refused, named by its place in the request", async () => {
  expect(await office.attempt("createExpense", { body: { ...terms(), documentIds: [invoice, invoice, foreign] } })).toMatchObject(refused(2));
  const { id } = await anExpense(office, tenancy.propertyId, 900, { documentIds: [invoice] });
  expect(await office.attempt("updateExpense", { params: { id }, body: { documentIds: [foreign] } })).toMatchObject(refused(0));
  expect((await office.call("getExpense", { params: { id } })).expense.documentIds).toEqual([invoice]);
});

test("a change replaces the documents and posts nothing anew", async () => {
  const { id, journalEntryId } = await anExpense(office, tenancy.propertyId, 900, { documentIds: [invoice] });
  const change = async (body: object) => (await office.call("updateExpense", { params: { id }, body })).expense;
  expect(await change({ documentIds: [receipt] })).toMatchObject({ documentIds: [receipt], journalEntryId });
  expect(await change({ name: "Repair" })).toMatchObject({ documentIds: [receipt], journalEntryId });
  expect(await change({ documentIds: [] })).toMatchObject({ documentIds: [], journalEntryId });
});

test("the expense of a work order refers to documents in the same way", async () => {
  const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: tenancy.propertyId, title: "The door is broken" } });
  const record = (documentIds: string[]) => {
    const { propertyId: _propertyId, ...bill } = terms();
    return office.attempt("createWorkOrderExpense", { params: { id: workOrder.id }, body: { ...bill, documentIds } });
  };
  expect(await record([foreign])).toMatchObject(refused(0));
  expect((await record([receipt])).body.expense.documentIds).toEqual([receipt]);
});
