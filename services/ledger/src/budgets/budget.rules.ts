/** Statuses and fiscal years of budgets. */
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { addMonths, endOfMonth } from "@freehold/kit/time/plain-date";
import type { Budget } from "@freehold/contract/ledger/budgets";

export const budgetStateMachine = stateMachine("budget", {
  draft: ["active", "archived"],
  active: ["archived"],
  archived: [],
});

/** Throws 409 for an archived budget. */
export function requireChangeableBudget(status: Budget["status"]): void {
  if (status === "archived") throw conflict("The budget is archived and cannot be changed. Copy it and change the copy.", "invalid_transition");
}

/** Fiscal year of a budget, named after the calendar year in which it ends. */
export interface FiscalYear {
  fiscalYear: number;
  startMonth: number;
}

/** Returns the first days of the twelve months of a fiscal year. */
export function monthsOfFiscalYear({ fiscalYear, startMonth }: FiscalYear): string[] {
  const startYear = startMonth === 1 ? fiscalYear : fiscalYear - 1;
  const startDate = `${startYear}-${String(startMonth).padStart(2, "0")}-01`;
  return Array.from({ length: 12 }, (_, index) => addMonths(startDate, index));
}

/**
 * Returns the months of a fiscal year through a month, `YYYY-MM`; without one, through the last month that has ended before today, at
 * least the first month. Throws a 400 for a month outside of the year.
 */
export function comparedMonths(year: FiscalYear, through: string | undefined, today: string): string[] {
  const months = monthsOfFiscalYear(year);
  if (through === undefined) {
    const ended = months.filter((month) => endOfMonth(month) < today);
    return ended.length > 0 ? ended : months.slice(0, 1);
  }
  const [first, last] = [months[0]!.slice(0, 7), months.at(-1)!.slice(0, 7)];
  if (through >= first && through <= last) return months.filter((month) => month.slice(0, 7) <= through);
  const message = `through must lie in the fiscal year of the budget, ${first} to ${last}.`;
  throw invalid([{ path: "through", code: through < first ? "min" : "max", message }]);
}
