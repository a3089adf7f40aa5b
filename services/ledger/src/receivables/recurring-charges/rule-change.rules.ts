/** Rules of changing and ending recurring charges: a change takes effect with whole months, so that each month is charged once. */
import { addMonths, maxDate, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { LAST_DATE } from "@freehold/contract/values";
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

/** Requested change: its first day, and a day of the month that differs from that of the rule. */
export interface RequestedChange {
  applyFrom?: string | undefined;
  dayOfMonth?: number | undefined;
}

/**
 * Returns the first month with the changed terms: the first one that is not charged and whose charge is due on or after `applyFrom`,
 * by the previous and by the changed day of the month. Without `applyFrom`, no charge that is due today or later moves to a day
 * before today or before the start of the rule. Throws a 400 when that month is already charged, or when the rule ends before it.
 */
export function changeStart(
  rule: ChangedRule,
  endDate: string | null,
  chargedPeriods: readonly string[],
  { applyFrom, dayOfMonth = rule.dayOfMonth }: RequestedChange,
  today: string,
): ChangeStart {
  const next = nextMonthToCharge(rule, chargedPeriods);
  const nextDueDate = withDayOfMonth(next, rule.dayOfMonth);
  if (applyFrom !== undefined && chargedPeriods.some((periodStart) => periodStart >= firstDueMonth(rule.dayOfMonth, applyFrom))) {
    const message = `Charges from this date on are already posted. Apply the change from ${nextDueDate} or later.`;
    throw invalid([{ path: "applyFrom", code: "overlap", message }]);
  }
  const earliestDueDate = applyFrom ?? (nextDueDate >= today ? maxDate(today, rule.startDate) : maxDate(next, rule.startDate));
  const month = [firstDueMonth(rule.dayOfMonth, applyFrom ?? next), firstDueMonth(dayOfMonth, earliestDueDate)].reduce(maxDate, next);
  const path = applyFrom === undefined ? "dayOfMonth" : "applyFrom";
  if (endDate !== null && month > endDate && month > next)
    throw invalid([{ path, code: "max", message: `The recurring charge ends on ${endDate}. Apply the change earlier, or move endDate.` }]);
  // Other terms can change when all months that dates can name are charged.
  const changesDueDates = applyFrom !== undefined || dayOfMonth !== rule.dayOfMonth;
  if (changesDueDates && month > LAST_DATE) throw invalid([{ path, code: "max", message: `Dates end on ${LAST_DATE}. Apply the change earlier.` }]);
  return { month, isSplit: month > next };
}

/** Throws a 400 unless the end date is on or after the start of the rule and the last due date that is posted, if any. */
export function requireEndAfterPosted(endDate: string, { startDate }: Pick<RuleTerms, "startDate">, lastDueDate: string | null): void {
  if (endDate < startDate) throw invalid([{ path: "endDate", code: "before_start", message: `endDate cannot be before the start date ${startDate}.` }]);
  if (lastDueDate === null || endDate >= lastDueDate) return;
  const message = `The charge due ${lastDueDate} is already posted. Choose that day or a later one, or void the charge first.`;
  throw invalid([{ path: "endDate", code: "min", message }]);
}
