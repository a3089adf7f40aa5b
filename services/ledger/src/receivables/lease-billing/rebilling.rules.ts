/**
 * Rules of rebilling: the charges of a recurring charge are brought in line with its changed terms, so that each day of its
 * term is charged once.
 */
import type { Policies } from "@freehold/contract/identity/accounts";
import { addDays, daysBetween, endOfMonth, maxDate, minDate, startOfMonth } from "@freehold/kit/time/plain-date";
import { roundedShare } from "../recurring-charges/proration.rules.ts";
import { duePeriods, type DuePeriod, type RuleTerms } from "../recurring-charges/recurring-charge.rules.ts";

/** Charge of a recurring charge that is not superseded. Its amount covers its days, whatever was credited, also if the office voided it. */
export interface PostedPeriod extends DuePeriod {
  id: string;
  /** False for a charge that the office voided, which is kept as it is. */
  isReplaceable: boolean;
  /** True if the charge names the tenant and the unit of the lease. */
  isOfLease: boolean;
}

/** Period, or part of one, to charge. */
export type NewPeriod = DuePeriod & { isPartial: boolean };

export interface Rebilling {
  /** Ids of charges to supersede. */
  supersededIds: string[];
  newPeriods: NewPeriod[];
}

export interface RebillingOptions {
  method: Policies["prorationMethod"];
  today: string;
  /** True to charge periods that are due and not charged yet, as for an active rule; false to replace superseded charges only. */
  postsDuePeriods: boolean;
  /** True to supersede charges of another amount, due date, tenant or unit, because the terms changed before the start. */
  comparesTerms: boolean;
}

/**
 * Returns the charges to supersede, which are those for days outside of their month's period, and the periods to charge
 * instead. All other charges are kept: the days of the period before and after them are charged with the rest of its amount.
 */
export function rebill(rule: RuleTerms, posted: readonly PostedPeriod[], options: RebillingOptions): Rebilling {
  const { method, today, postsDuePeriods } = options;
  const lastDay = posted.map(({ periodEnd }) => endOfMonth(periodEnd)).reduce(maxDate, today);
  const periodByMonth = new Map(duePeriods({ ...rule, postFrom: rule.startDate }, lastDay, method).map((period) => [startOfMonth(period.periodStart), period]));
  const postedByMonth = Map.groupBy(posted, ({ periodStart }) => startOfMonth(periodStart));
  const result: Rebilling = { supersededIds: [], newPeriods: [] };
  for (const month of [...new Set([...periodByMonth.keys(), ...postedByMonth.keys()])].sort()) {
    const [period, charges] = [periodByMonth.get(month), postedByMonth.get(month) ?? []];
    const outdated = charges.filter((charge) => charge.isReplaceable && !isKept(rule, charge, period, options));
    const rest = charges.filter((charge) => !outdated.includes(charge));
    const superseded = isMispriced(rule, period, rest) ? charges.filter(({ isReplaceable }) => isReplaceable) : outdated;
    result.supersededIds.push(...superseded.map(({ id }) => id));
    const isDue = postsDuePeriods && period !== undefined && period.dueDate <= today && period.dueDate >= rule.postFrom;
    if (period && (charges.length > 0 || isDue))
      result.newPeriods.push(
        ...missingPeriods(
          rule,
          period,
          charges.filter((charge) => !superseded.includes(charge)),
        ),
      );
  }
  return result;
}

/**
 * Returns true if a replaceable charge lies in the period of its month. A fee is charged for a month, whatever its days, if its regular due
 * date or the one that the office agreed lies within the term.
 */
function isKept(rule: RuleTerms, charge: PostedPeriod, period: DuePeriod | undefined, { comparesTerms }: RebillingOptions): boolean {
  const { isLeaseRent } = rule;
  if (!period) return !isLeaseRent && !comparesTerms && isWithinTerm(rule, charge.dueDate);
  if (comparesTerms && !(charge.isOfLease && charge.amountCents === period.amountCents && charge.dueDate === period.dueDate)) return false;
  return !isLeaseRent || (charge.periodStart >= period.periodStart && charge.periodEnd <= period.periodEnd);
}

const isWithinTerm = ({ startDate, endDate }: RuleTerms, day: string): boolean => day >= startDate && (endDate === null || day <= endDate);

/**
 * Returns true if charges cover a period together with a charge that the office voided, but do not add up to its amount: they got the
 * rest of a longer period, and a part of a month may cost more or less than its share of the days.
 */
function isMispriced({ isLeaseRent }: RuleTerms, period: DuePeriod | undefined, charges: readonly PostedPeriod[]): boolean {
  if (!isLeaseRent || !period || charges.every(({ isReplaceable }) => isReplaceable)) return false;
  const inside = charges.filter((charge) => isInside(charge, period));
  return uncoveredSpans(period, inside).length === 0 && inside.reduce((sum, charge) => sum + centsWithin(charge, period), 0) !== period.amountCents;
}

const isInside = ({ periodStart, periodEnd }: Span, period: Span): boolean => periodStart <= period.periodEnd && periodEnd >= period.periodStart;

/**
 * Returns the uncharged parts of a period: the whole period if it has no kept charge, otherwise the days that no kept charge covers, at
 * the rest of the amount of the period.
 */
function missingPeriods({ isLeaseRent }: RuleTerms, period: DuePeriod, kept: readonly PostedPeriod[]): NewPeriod[] {
  const inside = kept.filter((charge) => isInside(charge, period));
  if (inside.length === 0) return [{ ...period, isPartial: isLeaseRent && period.periodEnd < endOfMonth(period.periodEnd) }];
  const restCents = period.amountCents - inside.reduce((sum, charge) => sum + centsWithin(charge, period), 0);
  if (!isLeaseRent || restCents <= 0) return [];
  const spans = splitByDays(restCents, uncoveredSpans(period, inside));
  return spans.map((span) => ({ ...span, dueDate: maxDate(period.dueDate, span.periodStart), isPartial: true }));
}

type Span = Pick<DuePeriod, "periodStart" | "periodEnd">;

const daysOf = ({ periodStart, periodEnd }: Span): number => daysBetween(periodStart, periodEnd) + 1;

/** Returns the part of a charge's amount for its days in a period. A charge that the office voided may extend beyond the period. */
function centsWithin(charge: PostedPeriod, period: Span): number {
  const common = { periodStart: maxDate(charge.periodStart, period.periodStart), periodEnd: minDate(charge.periodEnd, period.periodEnd) };
  return roundedShare(charge.amountCents, daysOf(common), daysOf(charge));
}

/** Returns the days of a period that no charge covers, as spans in ascending order. */
function uncoveredSpans({ periodStart, periodEnd }: Span, charges: readonly Span[]): Span[] {
  const spans: Span[] = [];
  let next = periodStart;
  for (const charge of charges.toSorted((one, other) => (one.periodStart < other.periodStart ? -1 : 1))) {
    if (charge.periodStart > next) spans.push({ periodStart: next, periodEnd: addDays(charge.periodStart, -1) });
    next = maxDate(next, addDays(charge.periodEnd, 1));
  }
  return next <= periodEnd ? [...spans, { periodStart: next, periodEnd }] : spans;
}

/** Splits an amount between spans by their days; the last one gets the rest. */
function splitByDays(amountCents: number, spans: readonly Span[]): (Span & { amountCents: number })[] {
  const totalDays = spans.reduce((sum, span) => sum + daysOf(span), 0);
  let restCents = amountCents;
  return spans
    .map((span, index) => {
      const cents = index === spans.length - 1 ? restCents : roundedShare(amountCents, daysOf(span), totalDays);
      restCents -= cents;
      return { ...span, amountCents: cents };
    })
    .filter((span) => span.amountCents > 0);
}
