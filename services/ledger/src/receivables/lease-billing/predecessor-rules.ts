/** Recurring charges of a lease that is renewed: they end the day before the successor lease starts, unless it is cancelled. */
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { endDatesOf, publishMovedEnds } from "../recurring-charges/split-rule.ts";
import { rebillRules, rebillUnitRules, type RebillingContext } from "./rebill-rules.ts";

interface Successor {
  id: string;
  startDate: string;
}
type PredecessorContext = Pick<RebillingContext, "settings" | "chart" | "projectedLease">;

/** Tells whether a recurring charge is a part of the rent that ends with its lease. */
export const endsWithLease = ({ isRentPart, endDate = null, leaseEnd = null }: RecurringChargeRule): boolean => isRentPart && endDate === leaseEnd;

/**
 * Returns the end date that a recurring charge has without a renewal of its lease, and null for a part of the rent that ends with the lease. An ended
 * recurring charge keeps its end date.
 */
export function ownEndDateOf(rule: RecurringChargeRule): string | null {
  const { status, followedByLeaseId, ownEndDate, endDate } = rule;
  if (status !== "ended" && followedByLeaseId) return ownEndDate ?? null;
  return status !== "ended" && endsWithLease(rule) ? null : (endDate ?? null);
}

/**
 * Ends the recurring charges of a lease the day before its successor starts, and rebills them and those on its unit, so that the
 * successor alone is charged the days from its start on. `locked` contains them all. May be repeated when the start date changes.
 */
export async function endPredecessorRules(
  tx: OrgTx,
  predecessor: PredecessorContext,
  { id, startDate }: Successor,
  locked: readonly RecurringChargeRule[],
): Promise<void> {
  const lastDay = addDays(startDate, -1);
  const context = { ...predecessor, voidReason: "The lease was renewed." };
  const rules = locked.filter(({ leaseId }) => leaseId === predecessor.projectedLease.id);
  const formerEnds = endDatesOf(rules);
  for (const rule of rules) {
    const ownEndDate = ownEndDateOf(rule);
    // An ended rule is not reinstated, but may have charged days that the successor charges.
    if (rule.status !== "ended") tx.assign(rule, { followedByLeaseId: id, ownEndDate });
    tx.assign(rule, { endDate: ownEndDate ? minDate(ownEndDate, lastDay) : lastDay });
  }
  await publishMovedEnds(tx, rules, formerEnds);
  await rebillRules(tx, context, rules);
  await rebillUnitRules(tx, context, locked, lastDay);
}

/** Restores the end dates of locked recurring charges of a lease whose successor was cancelled, and charges the days of the successor. */
export async function reinstatePredecessorRules(tx: OrgTx, context: PredecessorContext, rules: readonly RecurringChargeRule[]): Promise<void> {
  const reinstated = rules.filter(({ status }) => status !== "ended");
  const formerEnds = endDatesOf(reinstated);
  for (const rule of reinstated) tx.assign(rule, { endDate: ownEndDateOf(rule) ?? rule.leaseEnd ?? null, followedByLeaseId: null, ownEndDate: null });
  await publishMovedEnds(tx, reinstated, formerEnds);
  await rebillRules(tx, { ...context, voidReason: "The renewal of the lease was cancelled." }, reinstated);
}
