/** Rules of a changed charge day of rent: no month is lost or charged twice, and no rent that is due today or later moves to a day before today. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { addMonths, endOfMonth, maxDate, startOfMonth } from "@freehold/kit/time/plain-date";
import { duePeriods, type DuePeriod, type RuleTerms } from "./recurring-charge.rules.ts";

/** First day from which the rule posts with the changed charge day, so that the same month is charged next, and the period to charge before. */
export interface ChargeDayChange {
  postFrom: string;
  /** Period that is due today or later but would be due before today with the changed day; charged with its previous due date. */
  chargedFirst: DuePeriod | undefined;
}

interface ChangeOptions {
  method: Policies["prorationMethod"];
  today: string;
  /** False for a paused rule or a draft, which charges nothing. */
  isActive: boolean;
}

/** Computes the change of a rent's charge day. `chargedPeriods` are the first days of the periods that the rule has charged. */
export function chargeDayChange(
  rule: RuleTerms,
  dayOfMonth: number,
  chargedPeriods: readonly string[],
  { method, today, isActive }: ChangeOptions,
): ChargeDayChange {
  const latestDate = chargedPeriods.reduce(maxDate, maxDate(maxDate(today, rule.startDate), rule.postFrom));
  const chargedMonths = new Set(chargedPeriods.map(startOfMonth));
  const findNext = (terms: RuleTerms) =>
    duePeriods(terms, endOfMonth(addMonths(startOfMonth(latestDate), 2)), method).find(({ periodStart }) => !chargedMonths.has(startOfMonth(periodStart)));
  const next = findNext(rule);
  const isSameMonth = next?.periodStart === findNext({ ...rule, dayOfMonth })?.periodStart;
  const postFrom = isSameMonth || !next ? rule.postFrom : startOfMonth(next.periodStart);
  if (!next) return { postFrom, chargedFirst: undefined };
  const changed = findNext({ ...rule, dayOfMonth, postFrom });
  const movesBeforeToday = isActive && next.dueDate >= today && changed !== undefined && changed.dueDate < today;
  return { postFrom, chargedFirst: movesBeforeToday ? next : undefined };
}
