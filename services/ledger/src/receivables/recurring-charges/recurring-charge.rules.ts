/** When a recurring charge falls due, and for how much. */
import type { Policies } from "@freehold/contract/accounts";
import { withDayOfMonth, minDate, endOfMonth, maxDate, monthsBetween } from "@freehold/kit/time/plain-date";
import { stateMachine } from "@freehold/kit/state-machine";
import { prorate } from "./proration.rules.ts";

export const recurringChargeFlow = stateMachine("recurring charge", {
  draft: ["active", "ended"],
  active: ["paused", "ended"],
  paused: ["active", "ended"],
  ended: [],
});

export interface Rule {
  amountCents: number;
  dayOfMonth: number;
  startDate: string;
  endDate: string | null;
  /** Months that fall due before this day are not charged: they were missed or paused. */
  postFrom: string;
  /** The rent of a lease: the month that it ends in is charged by the day. */
  isLeaseRent: boolean;
  /** The month that it starts in is charged by the day too. */
  proratesFirstMonth: boolean;
}

/** What of a rule decides its months. */
export const termsOf = ({ amountCents, dayOfMonth, startDate, endDate = null, postFrom, isLeaseRent, proratesFirstMonth }: Stored): Rule => ({
  amountCents,
  dayOfMonth,
  startDate,
  endDate,
  postFrom,
  isLeaseRent,
  proratesFirstMonth,
});
type Stored = Omit<Rule, "endDate"> & { endDate?: string | null | undefined };

export interface DuePeriod {
  periodStart: string;
  periodEnd: string;
  dueDate: string;
  amountCents: number;
}

type Method = Policies["prorationMethod"];

/**
 * The months that a rule owes through a day. The due day is counted from the rule in each month anew, so the 31st gives
 * the last day of a shorter month and the 31st again after it. Nothing falls due before the rule starts or after it ends.
 */
export function duePeriods(rule: Rule, throughDate: string, method: Method): DuePeriod[] {
  const last = rule.endDate ? minDate(rule.endDate, throughDate) : throughDate;
  const periodOf = rule.isLeaseRent ? rentPeriod : feePeriod;
  return monthsBetween(rule.startDate, endOfMonth(last)).flatMap((month) => {
    const period = periodOf(rule, month, method);
    return period && period.amountCents > 0 && period.dueDate <= throughDate && period.dueDate >= rule.postFrom ? [period] : [];
  });
}

/** A fee is charged whole, in each month whose due day lies within the rule. */
function feePeriod({ amountCents, dayOfMonth, startDate, endDate }: Rule, month: string): DuePeriod | undefined {
  const dueDate = withDayOfMonth(month, dayOfMonth);
  if (dueDate < startDate || (endDate !== null && dueDate > endDate)) return undefined;
  return { periodStart: month, periodEnd: endOfMonth(month), dueDate, amountCents };
}

/** Rent covers every day of the lease: a month that it starts or ends in may cost less, and falls due within the lease. */
function rentPeriod(rule: Rule, month: string, method: Method): DuePeriod | undefined {
  const periodStart = maxDate(month, rule.startDate);
  const periodEnd = rule.endDate === null ? endOfMonth(month) : minDate(endOfMonth(month), rule.endDate);
  if (periodEnd < periodStart) return undefined;
  const paidFrom = rule.proratesFirstMonth ? periodStart : month;
  const dueDate = minDate(maxDate(withDayOfMonth(month, rule.dayOfMonth), periodStart), periodEnd);
  return { periodStart, periodEnd, dueDate, amountCents: prorate(method, rule.amountCents, paidFrom, periodEnd) };
}
