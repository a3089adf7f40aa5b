/** Select list and API representation of a budget. */
import type { Budget as View, BudgetLine } from "@freehold/contract/ledger/budgets";
import { columnsOf } from "@freehold/kit/db/entity";
import { withVersion } from "@freehold/kit/http/etag";
import { endOfMonth } from "@freehold/kit/time/plain-date";
import type { Chart } from "../chart/categories.ts";
import { Budget } from "./budget.entity.ts";
import { monthsOfFiscalYear } from "./budget.rules.ts";

export type BudgetRow = Omit<View, "startDate" | "endDate" | "totalIncomeCents" | "totalExpenseCents"> & { version: number };

export const budgetColumns = columnsOf(Budget, "b");

/** Returns the API representation of a budget, with the days of its fiscal year and the totals of its lines. */
export function budgetView({ version, ...budget }: BudgetRow, chart: Chart): View {
  const months = monthsOfFiscalYear(budget);
  const totalOf = (accountType: "income" | "expense") =>
    sumLines(budget.lines.filter(({ categoryId }) => chart.findAccount(categoryId)?.accountType === accountType));
  return withVersion(
    {
      ...budget,
      startDate: months[0]!,
      endDate: endOfMonth(months.at(-1)!),
      totalIncomeCents: totalOf("income"),
      totalExpenseCents: totalOf("expense"),
    },
    version,
  );
}

/** Sums the amounts of lines. Any sum is a safe integer, because the magnitudes of all amounts of a budget add up to one. */
const sumLines = (lines: readonly BudgetLine[]): View["totalIncomeCents"] =>
  lines.flatMap(({ amountsCents }) => amountsCents).reduce((sum, cents) => sum + cents, 0) as View["totalIncomeCents"];
