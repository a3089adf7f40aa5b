/** Due dates and amounts of a recurring charge. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { withDayOfMonth, minDate, endOfMonth, maxDate, monthsBetween } from "@freehold/kit/time/plain-date";
import { stateMachine } from "@freehold/kit/state-machine";
import { prorate } from "./proration.rules.ts";

export const recurringChargeStateMachine = stateMachine("recurring charge", {
  draft: ["active", "ended"],
  active: ["paused", "ended"],
  paused: ["active", "ended"],
  ended: [],
});

/** Terms of a recurring charge that determine its due periods. */
export interface RuleTerms {
  amountCents: number;
  dayOfMonth: number;
  startDate: string;
  endDate: string | null;
  /** Periods due before this date are not charged, because they were missed or paused. */
  postFrom: string;
  /** True for the rent of a lease and its parts, whose last month is prorated. */
  isLeaseRent: boolean;
  /** True when the first month is prorated as well. */
  proratesFirstMonth: boolean;
}

/** Returns the terms of a stored recurring charge. */
export const ruleTerms = ({
  amountCents,
  dayOfMonth,
  startDate,
  endDate = null,
  postFrom,
  isLeaseRent,
  isRentPart = false,
  proratesFirstMonth,
}: Omit<RuleTerms, "endDate"> & {
  endDate?: string | null | undefined;
  isRentPart?: boolean | undefined;
}): RuleTerms => ({
  amountCents,
  dayOfMonth,
  startDate,
  endDate,
  postFrom,
  isLeaseRent: isLeaseRent || isRentPart,
  proratesFirstMonth,
});

/** Period of a recurring charge with its due date and amount. */
export interface DuePeriod {
  periodStart: string;
  periodEnd: string;
  dueDate: string;
  amountCents: number;
}

/**
 * Tells whether a fee's due date lies after the end date of its lease while that date has not passed. In a holdover, the lease is
 * charged fees after its end date, but not in advance.
 */
export const isAfterUpcomingLeaseEnd = (dueDate: string, leaseEnd: string | null, today: string): boolean =>
  leaseEnd !== null && dueDate > leaseEnd && leaseEnd >= today;

type Method = Policies["prorationMethod"];

/**
 * Returns the periods due through a date. The due date is computed from `dayOfMonth` for each month, so the 31st falls on
 * the last day of shorter months. No period is due before the start date or after the end date. Periods whose first day is among
 * `charged` are left out.
 */
export function duePeriods(rule: RuleTerms, throughDate: string, method: Method, charged: ReadonlySet<string> = new Set()): DuePeriod[] {
  const last = rule.endDate ? minDate(rule.endDate, throughDate) : throughDate;
  const periodOf = rule.isLeaseRent ? rentPeriod : feePeriod;
  // A due date is in the month of its period.
  return monthsBetween(maxDate(rule.startDate, rule.postFrom), endOfMonth(last)).flatMap((month) => {
    if (charged.has(rule.isLeaseRent ? maxDate(month, rule.startDate) : month)) return [];
    const period = periodOf(rule, month, method);
    return period && period.amountCents > 0 && period.dueDate <= throughDate && period.dueDate >= rule.postFrom ? [period] : [];
  });
}

/** Returns the period of a fee, which is charged in full in each month whose due date lies between start and end date. */
function feePeriod({ amountCents, dayOfMonth, startDate, endDate }: RuleTerms, month: string): DuePeriod | undefined {
  const dueDate = withDayOfMonth(month, dayOfMonth);
  if (dueDate < startDate || (endDate !== null && dueDate > endDate)) return undefined;
  return { periodStart: month, periodEnd: endOfMonth(month), dueDate, amountCents };
}

/** Returns the period of a rent. The first and last month may be partial, and their due dates lie within the period. */
function rentPeriod(rule: RuleTerms, month: string, method: Method): DuePeriod | undefined {
  const periodStart = maxDate(month, rule.startDate);
  const periodEnd = rule.endDate === null ? endOfMonth(month) : minDate(endOfMonth(month), rule.endDate);
  if (periodEnd < periodStart) return undefined;
  const chargedFrom = rule.proratesFirstMonth ? periodStart : month;
  const dueDate = minDate(maxDate(withDayOfMonth(month, rule.dayOfMonth), periodStart), periodEnd);
  return { periodStart, periodEnd, dueDate, amountCents: prorate(method, rule.amountCents, chargedFrom, periodEnd) };
}
