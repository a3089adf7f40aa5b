/** Comparison of budgeted and actual amounts. */
import type { BudgetLine, BudgetVariance } from "@freehold/contract/ledger/budgets";
import { clampToSafeInteger } from "@freehold/domain/money";
import { exactAmounts, roundedQuotient, sumOf } from "./budget-line.rules.ts";

type Row = BudgetVariance["rows"][number];

interface Account extends Pick<Row, "code" | "name"> {
  id: string;
  accountType: string;
}

/** Budgeted and actual amounts in cents, one for each compared month. Exact, because sums may exceed the largest safe integer. */
interface Amounts {
  budgeted: readonly bigint[];
  actual: readonly bigint[];
}

/** Compares a budget with the actual amounts of its first months, given by their first days, by account and in total. */
export function compareWithActuals(
  accounts: readonly Account[],
  lines: readonly BudgetLine[],
  actuals: ReadonlyMap<string, readonly bigint[]>,
  months: readonly string[],
): Pick<BudgetVariance, "rows" | "totals"> {
  const lineOf = new Map(lines.map((line) => [line.categoryId, line]));
  const compared = accounts.flatMap((account) => {
    const [line, actual] = [lineOf.get(account.id), actuals.get(account.id)];
    if (!line && !actual) return [];
    const zeros = months.map(() => 0n);
    return [{ account, budgeted: line ? exactAmounts(line.amountsCents.slice(0, months.length)) : zeros, actual: actual ?? zeros }];
  });
  const ofType = (accountType: Row["accountType"]) => compared.filter(({ account }) => account.accountType === accountType);
  const total = (rows: readonly Amounts[]): Amounts => ({ budgeted: rows.flatMap(({ budgeted }) => budgeted), actual: rows.flatMap(({ actual }) => actual) });
  const [income, expense] = [total(ofType("income")), total(ofType("expense"))];
  const net = { budgeted: [sumOf(income.budgeted) - sumOf(expense.budgeted)], actual: [sumOf(income.actual) - sumOf(expense.actual)] };
  return {
    rows: compared.map(({ account: { id, code, name, accountType }, ...amounts }) => ({
      categoryId: id,
      code,
      name,
      accountType: accountType as Row["accountType"],
      ...compareTotals(amounts),
      byMonth: months.map((month, index) => ({ month: month.slice(0, 7), ...compareAmounts(amounts.budgeted[index]!, amounts.actual[index]!) })),
    })),
    totals: { income: compareTotals(income), expense: compareTotals(expense), net: compareTotals(net) },
  };
}

const compareAmounts = (budgeted: bigint, actual: bigint) => ({
  budgetCents: clampToSafeInteger(budgeted),
  actualCents: clampToSafeInteger(actual),
  varianceCents: clampToSafeInteger(actual - budgeted),
});

/** Compares the sums. The share is that of the budgeted magnitude, so that it has the sign of the variance. */
function compareTotals(amounts: Amounts) {
  const [budgeted, actual] = [sumOf(amounts.budgeted), sumOf(amounts.actual)];
  const magnitude = budgeted < 0n ? -budgeted : budgeted;
  const varianceBps = magnitude === 0n ? null : Number(clampToSafeInteger(roundedQuotient((actual - budgeted) * 10_000n, magnitude)));
  return { ...compareAmounts(budgeted, actual), varianceBps };
}
