/** Rules of a changed charge day of rent: no month is lost or charged twice, and no rent that is due today or later moves to a day before today. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { addMonths, endOfMonth, maxDate, startOfMonth } from "@freehold/kit/time/plain-date";
import { duePeriods, type DuePeriod, type RuleTerms } from "./recurring-charge.rules.ts";

/** Day from which the rule posts by the changed day, so that it goes on with the same month, and the period to charge before the change. */
export interface ChargeDayChange {
  postFrom: string;
  /** Period that is due today or later and by the changed day would be due before today; charged with its previous due date. */
  chargedFirst: DuePeriod | undefined;
}

interface ChangeOptions {
  method: Policies["prorationMethod"];
  today: string;
  /** False for a paused rule or a draft, which charges nothing. */
  isActive: boolean;
}

/** Returns how the rule of a rent changes its charge day, with the months that it has charged. */
export function chargeDayChange(
  rule: RuleTerms,
  dayOfMonth: number,
  chargedPeriods: readonly string[],
  { method, today, isActive }: ChangeOptions,
): ChargeDayChange {
  const lastMonth = chargedPeriods.reduce(maxDate, maxDate(maxDate(today, rule.startDate), rule.postFrom));
  const chargedMonths = new Set(chargedPeriods.map(startOfMonth));
  const findNext = (terms: RuleTerms) =>
    duePeriods(terms, endOfMonth(addMonths(startOfMonth(lastMonth), 2)), method).find(({ periodStart }) => !chargedMonths.has(startOfMonth(periodStart)));
  const next = findNext(rule);
  const isSameMonth = next?.periodStart === findNext({ ...rule, dayOfMonth })?.periodStart;
  const postFrom = isSameMonth || !next ? rule.postFrom : startOfMonth(next.periodStart);
  if (!next) return { postFrom, chargedFirst: undefined };
  const changed = findNext({ ...rule, dayOfMonth, postFrom });
  const movesBeforeToday = isActive && next.dueDate >= today && changed !== undefined && changed.dueDate < today;
  return { postFrom, chargedFirst: movesBeforeToday ? next : undefined };
}
