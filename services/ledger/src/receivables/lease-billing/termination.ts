/** Last days of the recurring charges of a terminated lease, and the holdover of a tenant who stayed beyond the end of the term. */
import { addDays, endOfMonth, maxDate, minDate, startOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { NewCharge } from "../charges/post-charges.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { duePeriods, ruleTerms } from "../recurring-charges/recurring-charge.rules.ts";
import { findPosted } from "../recurring-charges/split-rule.ts";
import { ownEndDateOf } from "./predecessor-rules.ts";
import { rebilledCharge } from "./rebilled-charge.ts";

/** Rent of the month of termination: up to the termination date, the full month, or none. */
export type FinalRent = "prorate" | "full" | "none";

/** Terms of a termination. */
export interface TerminationTerms {
  terminationDate: string;
  finalRent: FinalRent;
  terminationFeeCents?: number | undefined;
}

/**
 * Returns the last day on which recurring charges on the unit of a terminated lease charge the lease: the day before its start if it was
 * terminated on its first day, since it was made by mistake then, unless it is a renewal.
 */
export const lastDayOfUnitCharges = ({ startDate, renewedFromLeaseId }: Lease, { terminationDate }: TerminationTerms): string =>
  terminationDate > startDate || renewedFromLeaseId !== undefined ? terminationDate : addDays(startDate, -1);

const lastDayOfRent = ({ terminationDate, finalRent }: TerminationTerms): string =>
  ({ prorate: terminationDate, full: endOfMonth(terminationDate), none: addDays(startOfMonth(terminationDate), -1) })[finalRent];

/** Returns the last day that a recurring charge may charge: a rent that a rent change replaces, also by no rent, charges nothing from that change on. */
export function lastDayToCharge(rule: RecurringChargeRule, rules: readonly RecurringChargeRule[], lease: Lease, terms: TerminationTerms): string {
  if (rule.isRentPart) return lastDayOfRent(terms);
  if (!rule.isLeaseRent) return terms.terminationDate;
  // A change to no rent has no rule.
  const endsOfRent = lease.rentChanges.filter(({ rentCents }) => rentCents === 0).map((change) => change.effectiveDate);
  const starts = [...rules.filter(({ isLeaseRent }) => isLeaseRent).map(({ startDate }) => startDate), ...endsOfRent];
  const daysBeforeLater = starts.filter((startDate) => startDate > rule.startDate).map((startDate) => addDays(startDate, -1));
  return [lastDayOfRent(terms), ...daysBeforeLater].reduce(minDate);
}

/** Rent that ends with the term of the lease and is charged for the days of a holdover, too. */
interface Holdover {
  rule: RecurringChargeRule;
  /** First day of the holdover. */
  from: string;
  /** Day before which nothing of the holdover is charged, because it was paused or another system charged it. */
  postFrom: string;
}

/**
 * Sets the end date of a recurring charge of a terminated lease, and returns the holdover if it is held over. A rent that has ended is
 * resumed for the holdover: periods before it that were not charged, as while it was paused, are not made up for.
 */
export function endRule(tx: OrgTx, rule: RecurringChargeRule, lastDay: string, lease: Lease, { terminationDate }: TerminationTerms): Holdover[] {
  // A renewal that has not started is cancelled with the termination. Its cancellation must not reinstate the rule.
  const endDate = ownEndDateOf(rule) ?? rule.leaseEnd ?? null;
  tx.assign(rule, { endDate: endDate ? minDate(endDate, lastDay) : lastDay, followedByLeaseId: null, ownEndDate: null });
  const isHeldOver = (rule.isLeaseRent || rule.isRentPart) && endDate !== null && endDate === lease.endDate && terminationDate > endDate && lastDay > endDate;
  if (!isHeldOver) return [];
  const from = maxDate(addDays(endDate, 1), rule.startDate);
  const postFrom = maxDate(rule.postFrom, from);
  tx.assign(rule, { endDate: lastDay });
  // The days of the holdover in the month in which the term ended are charged apart, so the rule goes on with the next month.
  const nextMonth = rule.startDate <= endDate && isWithinMonthOf(endDate, from) ? addDays(endOfMonth(from), 1) : from;
  if (rule.status === "ended") tx.assign(rule, { status: "active", postFrom: maxDate(postFrom, nextMonth) });
  return [{ rule, from, postFrom }];
}

const isWithinMonthOf = (day: string, other: string): boolean => startOfMonth(day) === startOfMonth(other);

/** Returns the charge for the first days of a holdover that begins within a month, unless the rule or the rebilling charges them. */
export async function chargeOfFirstDays(
  tx: OrgTx,
  method: LedgerSettings["policies"]["prorationMethod"],
  projectedLease: ProjectedLease,
  { rule, from, postFrom }: Holdover,
): Promise<NewCharge[]> {
  if (from === startOfMonth(from) || from === rule.startDate) return [];
  const { chargedPeriods } = await findPosted(tx, rule.id);
  const ownPeriods = duePeriods(ruleTerms(rule), endOfMonth(from), method).map(({ periodStart }) => periodStart);
  if ([...chargedPeriods, ...ownPeriods].some((start) => isWithinMonthOf(start, from))) return [];
  const terms = { ...ruleTerms(rule), startDate: from, postFrom, proratesFirstMonth: true };
  return duePeriods(terms, endOfMonth(from), method).map((period) => rebilledCharge(rule, projectedLease, { ...period, isPartial: true }, []));
}
