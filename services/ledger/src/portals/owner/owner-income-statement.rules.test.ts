import { expect, test } from "@jest/globals";
import { incomeStatement } from "./owner-income-statement.rules.ts";

const amount = (propertyId: string, accountCode: string, accountType: "income" | "expense", ownCents: number) => ({
  propertyId,
  accountCode,
  accountName: accountCode,
  accountType,
  ownCents,
});

test("an income statement sums income and expenses by property in the given order, and leaves out properties without amounts", () => {
  const properties = ["b", "a", "c"].map((propertyId) => ({ propertyId, propertyName: propertyId.toUpperCase() }));
  const amounts = [amount("a", "4000", "income", 1_000), amount("a", "5000", "expense", -300), amount("b", "5000", "expense", 50)];
  expect(incomeStatement(properties, amounts)).toMatchObject({
    incomeCents: 1_000,
    expenseCents: 250,
    netIncomeCents: 750,
    properties: [
      { propertyName: "B", incomeCents: 0, expenseCents: -50, netIncomeCents: 50, rows: [{ accountCode: "5000", amountCents: -50 }] },
      { propertyName: "A", incomeCents: 1_000, expenseCents: 300, netIncomeCents: 700, rows: [{ amountCents: 1_000 }, { amountCents: 300 }] },
    ],
  });
});
