/** End of billing for terminated, expired, cancelled and deleted leases. */
import { addDays, maxDate, endOfMonth, startOfMonth, minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import { today } from "@freehold/kit/time/clock";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { releaseRecords } from "../../journal/posting-holds.ts";
import { lockLease, lockLeases } from "../../projections/lock-leases.ts";
import { findProjectedLeases, saveLeases, type ProjectedLease } from "../../projections/projections.ts";
import { duePeriods, ruleTerms } from "../recurring-charges/recurring-charge.rules.ts";
import { findPosted } from "../recurring-charges/split-rule.ts";
import { transitionRecurringCharge } from "../recurring-charges/recurring-charges.ts";
import { lockRulesWithCharges, ofLeasesOrTheirUnits } from "./lock-billing.ts";
import { ownEndDateOf, reinstatePredecessorRules } from "./predecessor-rules.ts";
import { rebillRules, rebillUnitRules } from "./rebill-rules.ts";
import { postCharges, type NewCharge } from "../charges/post-charges.ts";
import { findBillingSteps, startLeaseBilling } from "./start-billing.ts";
import { getLeaseBilling } from "./lease-billing.ts";
import { markBillingStep } from "./lease-billing.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";

/** Rent of the month of termination: up to the termination date, the full month, or none. */
export type FinalRent = "prorate" | "full" | "none";

interface TerminationTerms {
  terminationDate: string;
  finalRent: FinalRent;
  terminationFeeCents?: number | undefined;
}

/**
 * Ends the billing of a terminated lease: ends its recurring charges, rebills its last month and charges the termination fee. The days
 * between the end of the term and a later termination date, on which the tenant held over, are charged at the last rent.
 */
export async function endLeaseBilling(db: OrgDb, clients: Clients, lease: Lease, terms: TerminationTerms): Promise<LeaseBilling> {
  await saveLeases(db, clients.portfolio, [lease]);
  // The ledger may have been unavailable when the lease was activated, and that event may arrive later.
  const { startedIds, endedIds } = await findBillingSteps(db, [lease.id]);
  if (!startedIds.has(lease.id) && !endedIds.has(lease.id)) await startLeaseBilling(db, clients, lease, true);
  const [chart, settings, leases] = await Promise.all([getChart(db), getLedgerSettings(db), findProjectedLeases(db, clients.portfolio, [lease.id])]);
  const { terminationDate, terminationFeeCents: amountCents } = terms;
  const projectedLease = leases.get(lease.id)!;
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    if ((await markBillingStep(tx, [lease.id], "billing_ended_at")).size === 0) return;
    // Includes ended rules: those of an expired lease may have charged days after the termination date.
    const locked = await lockRulesWithCharges(tx, ofLeasesOrTheirUnits(tx, [lease.id]));
    const rules = locked.filter(({ leaseId }) => leaseId === lease.id);
    const holdovers = rules.flatMap((rule) => endRule(tx, rule, lastDayToCharge(rule, rules, lease, terms), lease, terms));
    const context = { settings, chart, projectedLease, voidReason: "The lease was terminated." };
    await rebillRules(tx, context, rules);
    // A paused rent charges the months of its holdover once it is resumed.
    for (const holdover of holdovers.filter(({ rule }) => rule.status !== "paused"))
      await postCharges(tx, settings, chart, await chargeOfFirstDays(tx, settings.policies.prorationMethod, projectedLease, holdover));
    await rebillUnitRules(tx, context, locked, terminationDate);
    const isOver = ({ status, startDate, endDate }: RecurringChargeRule) => status === "draft" || endDate! < maxDate(today(settings.timezone), startDate);
    for (const rule of rules) if (rule.status !== "ended" && isOver(rule)) await transitionRecurringCharge(tx, rule, "ended");
    if (amountCents)
      await postCharges(tx, settings, chart, [{ lease: projectedLease, amountCents, dueDate: terminationDate, chargeType: "fee", name: "Termination fee" }]);
  });
  return getLeaseBilling(db, lease.id, await findChargesSinceBillingEnd(db, lease.id));
}

/** Returns the last day that a recurring charge may charge: a rent that a rent change replaces, also by no rent, charges nothing from that change on. */
function lastDayToCharge(rule: RecurringChargeRule, rules: readonly RecurringChargeRule[], lease: Lease, terms: TerminationTerms): string {
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
function endRule(tx: OrgTx, rule: RecurringChargeRule, lastDay: string, lease: Lease, { terminationDate }: TerminationTerms): Holdover[] {
  // A renewal that has not started is cancelled with the termination. Its cancellation must not reinstate the rule.
  const endDate = ownEndDateOf(rule);
  tx.assign(rule, { endDate: endDate ? minDate(endDate, lastDay) : lastDay, followedByLeaseId: null, ownEndDate: null });
  const isHeldOver = rule.isLeaseRent && endDate !== null && endDate === lease.endDate && terminationDate > endDate && lastDay > endDate;
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
async function chargeOfFirstDays(
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
  return duePeriods(terms, endOfMonth(from), method).map(({ amountCents, dueDate, periodStart, periodEnd }) => ({
    lease: projectedLease,
    amountCents,
    dueDate,
    chargeType: rule.kind,
    categoryId: rule.categoryId,
    name: rule.label,
    rule: { id: rule.id, periodStart, periodEnd },
  }));
}

const lastDayOfRent = ({ terminationDate, finalRent }: TerminationTerms): string =>
  ({ prorate: terminationDate, full: endOfMonth(terminationDate), none: addDays(startOfMonth(terminationDate), -1) })[finalRent];

/** Returns the ids of the charges posted since the billing of the lease ended, so that a repeated request gets the same response. */
async function findChargesSinceBillingEnd(db: OrgDb, leaseId: string): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select c.id from charge c join lease_copy l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${db.organizationId} and c.lease_id = ${leaseId} and c.created_at >= l.billing_ended_at`);
  return rows.map(({ id }) => id);
}

/** Ends the recurring charges of an expired lease on its last day and rebills them up to that day. Idempotent. */
export async function expireLeaseBilling(db: OrgDb, clients: Clients, lease: Lease): Promise<void> {
  await saveLeases(db, clients.portfolio, [lease]);
  const lastDay = lease.billedUntil;
  if (lease.status !== "expired" || !lastDay) return;
  const [chart, settings, leases] = await Promise.all([getChart(db), getLedgerSettings(db), findProjectedLeases(db, clients.portfolio, [lease.id])]);
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    const locked = await lockRulesWithCharges(tx, ofLeasesOrTheirUnits(tx, [lease.id]));
    const rules = locked.filter(({ leaseId, status }) => leaseId === lease.id && status !== "ended");
    for (const rule of rules) tx.assign(rule, { endDate: rule.endDate ? minDate(rule.endDate, lastDay) : lastDay });
    const context = { settings, chart, projectedLease: leases.get(lease.id)!, voidReason: "The lease expired." };
    await rebillRules(tx, context, rules);
    await rebillUnitRules(tx, context, locked, lastDay);
    for (const rule of rules) await transitionRecurringCharge(tx, rule, "ended");
  });
}

/**
 * Ends the recurring charges of a cancelled or deleted lease and reinstates those of its predecessor. A deleted lease is also
 * removed from the projection, so that nothing can be charged on it. Idempotent.
 */
export async function cancelLeaseBilling(db: OrgDb, clients: Clients, leaseId: string, isDeleted: boolean): Promise<void> {
  const followed = await db.all(sql<{ leaseId: string }>`select distinct lease_id from recurring_charge_rule
    where organization_id = ${db.organizationId} and followed_by_lease_id = ${leaseId}`);
  const ids = followed.map((rule) => rule.leaseId);
  const [chart, settings, predecessors] = await Promise.all([getChart(db), getLedgerSettings(db), findProjectedLeases(db, clients.portfolio, ids)]);
  await transaction(db, async (tx) => {
    await lockLeases(tx, [leaseId, ...ids]);
    const rules = await lockRulesWithCharges(tx, sql`(lease_id = ${leaseId} or followed_by_lease_id = ${leaseId}) and status <> 'ended'`);
    for (const projectedLease of predecessors.values()) {
      const predecessorRules = rules.filter((rule) => rule.leaseId === projectedLease.id);
      await reinstatePredecessorRules(tx, { settings, chart, projectedLease }, predecessorRules);
    }
    for (const rule of rules) if (rule.leaseId === leaseId) await transitionRecurringCharge(tx, rule, "ended");
    await releaseRecords(tx, [leaseId]);
    if (isDeleted) await tx.all(sql`delete from lease_copy where organization_id = ${tx.organizationId} and id = ${leaseId}`);
  });
}
