/** Lines of a requested budget. */
import type { budgets, BudgetLine } from "@freehold/contract/ledger/budgets";
import type { FieldError } from "@freehold/contract/errors";
import type { BodyOf } from "@freehold/contract/operation";
import { invalid } from "@freehold/kit/errors";
import type { Chart } from "../chart/categories.ts";
import { newSortedIds } from "../ids.ts";
import { budgetLines, exactAmounts } from "./budget-line.rules.ts";

type RequestedLine = BodyOf<(typeof budgets.operations)["createBudget"]>["lines"][number];

/** Returns the lines of a request as they are stored. Throws a 400 that names each line on an unknown, an unsuitable or a repeated account. */
export function requestedBudgetLines(lines: readonly RequestedLine[], chart: Chart): BudgetLine[] {
  const errors = lines.flatMap(({ categoryId }, index) => accountError(chart, lines, categoryId, index) ?? []);
  if (errors.length > 0) throw invalid(errors);
  const exactLines = lines.map((line) => ({ ...line, amountsCents: exactAmounts(line.amountsCents) }));
  return budgetLines(exactLines, newSortedIds(lines.length), "lines");
}

function accountError(chart: Chart, lines: readonly RequestedLine[], categoryId: string, index: number): FieldError | undefined {
  const path = `lines.${index}.categoryId`;
  const account = chart.findAccount(categoryId);
  if (!account) return { path, code: "not_found", message: `There is no account with this id. Check ${path}.` };
  const { accountType, code, name } = account;
  if (accountType !== "income" && accountType !== "expense")
    return { path, code: "not_allowed", message: `${code} ${name} is neither an income nor an expense account. Leave it out of the budget.` };
  if (lines.findIndex((line) => line.categoryId === categoryId) < index)
    return { path, code: "unique", message: `${code} ${name} already has a line. Combine the two lines.` };
  return undefined;
}
