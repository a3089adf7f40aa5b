import { expect, test } from "@jest/globals";
import { anExpense } from "../payables.fixtures.ts";
import { anOwnedProperty, aPayee, aPayingOffice } from "../../owners/owners.fixtures.ts";

test("an expense names an owner of its property only, also when it moves to another property", async () => {
  const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
  const dora = await aPayee(office, "Dora");
  const other = await anOwnedProperty(office, { rentCents: 100_000, shares: { [dora]: 10_000 } }, bankAccountId);
  const ofStranger = await office.attempt("createExpense", {
    body: { amountCents: 20_000, incurredOn: "2026-01-10", category: "maintenance", propertyId, ownerId: dora },
  });
  expect([ofStranger.status, ofStranger.body.errors]).toEqual([400, [expect.objectContaining({ path: "ownerId", code: "mismatch" })]]);
  const { id } = await anExpense(office, propertyId, 20_000, { ownerId: ann });
  const move = (body: object) => office.attempt("updateExpense", { params: { id }, body: { propertyId: other.propertyId, ...body } });
  expect((await move({})).body.errors).toMatchObject([{ path: "ownerId", code: "mismatch" }]);
  expect((await move({ ownerId: dora })).body.expense).toMatchObject({ propertyId: other.propertyId, ownerId: dora });
});
