/** References to units and properties that portfolio has deleted. */
import { beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../test/support/office.ts";

let office: Office;
let categoryId: string;
let propertyId: string;

beforeAll(async () => {
  office = await anOffice();
  const { categories } = await office.call("listCategories");
  categoryId = categories.find(({ code }) => code === "4010")!.id;
  propertyId = await aProperty();
});

const aProperty = async (): Promise<string> => {
  const address = { streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  return (await office.call("createProperty", { body: { name: "Elm Street 1", ...address, units: 1, occupiedUnits: 0 } })).property.id;
};
const aUnit = async (unitNumber: string, of = propertyId): Promise<string> =>
  (await office.call("createUnit", { body: { propertyId: of, unitNumber, monthlyRentCents: 100_000 } })).unit.id;

const anExpense = (references: object) => ({ propertyId, amountCents: 500, incurredOn: "2026-01-10", category: "maintenance" as const, ...references });
const aRule = (unitId: string) => ({ unitId, amountCents: 500, categoryId, dayOfMonth: 1, startDate: "2190-01-01", kind: "fee" as const, label: "Parking" });
const anEntry = (reference: object) => ({
  memo: "Correction",
  occurredAt: "2026-01-10T15:00:00.000Z",
  lines: [
    { accountId: categoryId, debitCents: 500, creditCents: 0, ...reference },
    { accountId: categoryId, debitCents: 0, creditCents: 500 },
  ],
});

test("expenses, recurring charges and journal lines name no deleted unit", async () => {
  const unitId = await aUnit("1");
  await office.call("deleteUnit", { params: { id: unitId } });
  const refusals = [
    await office.attempt("createExpense", { body: anExpense({ unitId }) }),
    await office.attempt("createRecurringCharge", { body: aRule(unitId) }),
    await office.attempt("createJournalEntry", { body: anEntry({ unitId }) }),
  ];
  expect(refusals.map(({ status, body }) => [status, body.errors?.map(({ path, code }) => `${path} ${code}`)])).toEqual([
    [400, ["unitId not_found"]],
    [400, ["unitId not_found"]],
    [400, ["lines.0.unitId not_found"]],
  ]);
});

test("budgets, journal lines and postings of due charges name no deleted property", async () => {
  const deletedId = await aProperty();
  const { budget } = await office.call("createBudget", { body: { name: "Budget", fiscalYear: 2025, startMonth: 1, propertyId: deletedId, lines: [] } });
  const draft = await office.call("createJournalEntry", { body: { ...anEntry({ propertyId: deletedId }), status: "draft" } });
  await office.call("deleteProperty", { params: { id: deletedId } });
  const refusals = [
    await office.attempt("copyBudget", { params: { id: budget.id }, body: { fiscalYear: 2026 } }),
    await office.attempt("postJournalEntry", { params: { id: draft.journalEntry.id }, body: {} }),
    await office.attempt("createBudget", { body: { name: "Budget", fiscalYear: 2026, startMonth: 1, propertyId: deletedId } }),
    await office.attempt("createJournalEntry", { body: anEntry({ propertyId: deletedId }) }),
    await office.attempt("postDueCharges", { body: { propertyId: deletedId } }),
  ];
  expect(refusals.map(({ status, body }) => [status, body.errors?.map(({ path, code }) => `${path} ${code}`)])).toEqual([
    [400, ["propertyId not_found"]],
    [400, ["lines.0.propertyId not_found"]],
    [400, ["propertyId not_found"]],
    [400, ["lines.0.propertyId not_found"]],
    [400, ["propertyId not_found"]],
  ]);
});

test.each(["unit", "property"] as const)("the deletion of a %s ends the recurring charges on the unit, and on no other", async (deleted) => {
  const ownPropertyId = await aProperty();
  const [unitId, otherId] = [await aUnit("1", ownPropertyId), await aUnit("2")];
  const rules = await Promise.all([unitId, otherId].map((id) => office.call("createRecurringCharge", { body: aRule(id) })));
  const [rule, other] = rules.map(({ recurringChargeRule }) => recurringChargeRule);
  if (deleted === "unit") await office.call("deleteUnit", { params: { id: unitId } });
  else await office.call("deleteProperty", { params: { id: ownPropertyId } });
  const statusOf = async (id: string) => (await office.call("getRecurringCharge", { params: { id } })).recurringChargeRule.status;
  await eventually("end of the recurring charge", async () => (await statusOf(rule!.id)) === "ended");
  expect(await statusOf(other!.id)).toBe("active");
  await office.call("deleteUnit", { params: { id: otherId } });
});
