/** Amounts of the lines of budgets. */
import type { BudgetLine } from "@freehold/contract/ledger/budgets";
import { invalid } from "@freehold/kit/errors";

const WHOLE_BPS = 10_000n;

/** Line of a budget before it has an id, with amounts that may exceed the largest safe integer. */
export interface LineAmounts {
  categoryId: string;
  amountsCents: readonly bigint[];
  note: string | null;
}

export const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
export const exactAmounts = (cents: readonly number[]): bigint[] => cents.map(BigInt);

/** Returns a quotient rounded to an integer, a half away from zero. The denominator is positive. */
export function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const [magnitude, sign] = numerator < 0n ? [-numerator, -1n] : [numerator, 1n];
  return (sign * (2n * magnitude + denominator)) / (2n * denominator);
}

/** Changes each amount of the lines by basis points, rounded to the cent, half a cent away from zero. */
export const adjustLines = (lines: readonly LineAmounts[], adjustBps: number): LineAmounts[] =>
  lines.map((line) => ({ ...line, amountsCents: line.amountsCents.map((cents) => roundedQuotient(cents * (WHOLE_BPS + BigInt(adjustBps)), WHOLE_BPS)) }));

/** Returns lines with ids. Throws a 400 that names the field when their amounts add up to more than the largest supported amount. */
export function budgetLines(lines: readonly LineAmounts[], ids: readonly string[], path: string): BudgetLine[] {
  const magnitude = sumOf(lines.flatMap(({ amountsCents }) => amountsCents.map((cents) => (cents < 0n ? -cents : cents))));
  if (magnitude > Number.MAX_SAFE_INTEGER) {
    const message = "The amounts of the budget add up to more than the largest supported amount. Use smaller amounts.";
    throw invalid([{ path, code: "sum_exceeded", message }]);
  }
  return lines.map(({ categoryId, amountsCents, note }, index) => ({
    id: ids[index]!,
    categoryId,
    amountsCents: amountsCents.map((cents) => Number(cents) as BudgetLine["amountsCents"][number]),
    note,
  }));
}
