/** Rules of changing and ending recurring charges: a change takes effect with whole months, so that each month is charged once. */
import { addDays, addMonths, maxDate, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { invalid } from "@freehold/kit/errors";
import type { RuleTerms } from "./recurring-charge.rules.ts";

type ChangedRule = Pick<RuleTerms, "dayOfMonth" | "startDate" | "postFrom">;

/** First month with the changed terms, and whether earlier months are still to be charged with the previous terms. */
export interface ChangeStart {
  month: string;
  isSplit: boolean;
}

/** Returns the first day of the month in which the first due date on or after a date falls. */
function firstDueMonth(dayOfMonth: number, date: string): string {
  const month = startOfMonth(date);
  return withDayOfMonth(month, dayOfMonth) < date ? addMonths(month, 1) : month;
}

/** Returns the first month of a rule that is not charged yet: the one after the last charged month, or else the first that is due. */
export function nextMonthToCharge({ dayOfMonth, startDate, postFrom }: ChangedRule, chargedPeriods: readonly string[]): string {
  const firstMonth = firstDueMonth(dayOfMonth, maxDate(startDate, postFrom));
  return chargedPeriods.map((periodStart) => addMonths(startOfMonth(periodStart), 1)).reduce(maxDate, firstMonth);
}

/**
 * Returns the first month with the changed terms: that of the first due date on or after `applyFrom`, by default the next month
 * that is not charged. Throws a 400 when that month is already charged, or when the rule ends before it.
 */
export function changeStart(rule: ChangedRule, endDate: string | null, chargedPeriods: readonly string[], applyFrom: string | undefined): ChangeStart {
  const next = nextMonthToCharge(rule, chargedPeriods);
  const month = maxDate(firstDueMonth(rule.dayOfMonth, applyFrom ?? next), next);
  const path = "applyFrom";
  if (applyFrom !== undefined && chargedPeriods.some((periodStart) => periodStart >= firstDueMonth(rule.dayOfMonth, applyFrom))) {
    const nextDueDate = withDayOfMonth(next, rule.dayOfMonth);
    throw invalid([{ path, code: "overlap", message: `Charges from this date on are already posted. Apply the change from ${nextDueDate} or later.` }]);
  }
  if (applyFrom !== undefined && endDate !== null && month > endDate)
    throw invalid([{ path, code: "max", message: `The recurring charge ends on ${endDate}. Apply the change earlier, or move endDate.` }]);
  return { month, isSplit: month > next };
}

/** Returns the last day of the rule that charges the months before a change. */
export const lastDayBefore = (month: string): string => addDays(month, -1);

/** Throws a 400 unless the end date is on or after the start of the rule and the last due date that is posted, if any. */
export function requireEndAfterPosted(endDate: string, { startDate }: Pick<RuleTerms, "startDate">, lastDueDate: string | null): void {
  if (endDate < startDate) throw invalid([{ path: "endDate", code: "before_start", message: `endDate cannot be before the start date ${startDate}.` }]);
  if (lastDueDate === null || endDate >= lastDueDate) return;
  const message = `The charge due ${lastDueDate} is already posted. Choose that day or a later one, or void the charge first.`;
  throw invalid([{ path: "endDate", code: "min", message }]);
}
