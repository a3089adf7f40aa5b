import type { BudgetLine } from "@freehold/contract/ledger/budgets";
import { describe, expect, test } from "@jest/globals";
import { compareWithActuals } from "./variance.rules.ts";

const accounts = [
  { id: "bank", code: "1000", name: "Bank", accountType: "asset" },
  { id: "rent", code: "4000", name: "Rent", accountType: "income" },
  { id: "fees", code: "4030", name: "Late fees", accountType: "income" },
  { id: "repairs", code: "5000", name: "Maintenance", accountType: "expense" },
];
const months = ["2026-01-01", "2026-02-01"];
const line = (categoryId: string, ...amounts: number[]) =>
  ({ id: categoryId, categoryId, amountsCents: [...amounts, 99], note: null }) as unknown as BudgetLine;
const compare = (lines: BudgetLine[], actuals: Record<string, bigint[]>) => compareWithActuals(accounts, lines, new Map(Object.entries(actuals)), months);

describe("compareWithActuals", () => {
  test("returns actual minus budgeted amounts by month, account and in total, of the compared months only", () => {
    const { rows, totals } = compare([line("repairs", 50, 50), line("rent", 1_000, 1_000)], { rent: [900n, 1_000n], repairs: [0n, 130n] });
    expect(rows).toEqual([
      {
        categoryId: "rent",
        code: "4000",
        name: "Rent",
        accountType: "income",
        budgetCents: 2_000,
        actualCents: 1_900,
        varianceCents: -100,
        varianceBps: -500,
        byMonth: [
          { month: "2026-01", budgetCents: 1_000, actualCents: 900, varianceCents: -100 },
          { month: "2026-02", budgetCents: 1_000, actualCents: 1_000, varianceCents: 0 },
        ],
      },
      expect.objectContaining({ categoryId: "repairs", budgetCents: 100, actualCents: 130, varianceCents: 30, varianceBps: 3_000 }),
    ]);
    expect(totals).toEqual({
      income: { budgetCents: 2_000, actualCents: 1_900, varianceCents: -100, varianceBps: -500 },
      expense: { budgetCents: 100, actualCents: 130, varianceCents: 30, varianceBps: 3_000 },
      net: { budgetCents: 1_900, actualCents: 1_770, varianceCents: -130, varianceBps: -684 },
    });
  });

  test("includes accounts with actual amounts that are not budgeted, without a variance in basis points, and leaves the others out", () => {
    const { rows, totals } = compare([], { fees: [25n, 0n] });
    expect(rows.map(({ code, budgetCents, actualCents, varianceBps }) => [code, budgetCents, actualCents, varianceBps])).toEqual([["4030", 0, 25, null]]);
    expect([totals.income.varianceBps, totals.expense, totals.net.actualCents]).toEqual([
      null,
      { budgetCents: 0, actualCents: 0, varianceCents: 0, varianceBps: null },
      25,
    ]);
  });

  test("gives the variance in basis points the sign of the variance when the budgeted amount is negative", () => {
    const { rows } = compare([line("fees", -100, 0)], { fees: [-50n, 0n] });
    expect(rows[0]).toMatchObject({ budgetCents: -100, actualCents: -50, varianceCents: 50, varianceBps: 5_000 });
  });

  test("clamps sums that exceed the largest safe integer", () => {
    const largest = BigInt(Number.MAX_SAFE_INTEGER);
    const { rows, totals } = compare([], { rent: [largest, largest] });
    expect([rows[0]!.actualCents, rows[0]!.varianceCents, totals.net.actualCents]).toEqual(Array(3).fill(Number.MAX_SAFE_INTEGER));
  });
});
