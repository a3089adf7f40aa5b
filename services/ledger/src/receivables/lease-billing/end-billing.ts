/** End of billing for terminated, expired, cancelled and deleted leases. */
import { addDays, maxDate, minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import { today } from "@freehold/kit/time/clock";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { releaseRecords } from "../../journal/posting-holds.ts";
import { lockLease, lockLeases } from "../../projections/lock-leases.ts";
import { findProjectedLeases, saveLeases } from "../../projections/projections.ts";
import { followMoveOuts } from "../../trust/security-deposits/disposition/move-out.ts";
import { postCharges } from "../charges/post-charges.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { transitionRecurringCharge } from "../recurring-charges/recurring-charges.ts";
import { endDatesOf, publishMovedEnds } from "../recurring-charges/split-rule.ts";
import { getLeaseBilling, markBillingEnded } from "./lease-billing.ts";
import { lockRulesWithCharges, ofLeasesOrTheirUnits } from "./lock-billing.ts";
import { reinstatePredecessorRules } from "./predecessor-rules.ts";
import { rebillRules, rebillUnitRules } from "./rebill-rules.ts";
import { startLeaseBilling } from "./start-billing.ts";
import { syncRentRules } from "./sync-rent-rules.ts";
import { chargeOfFirstDays, endRule, lastDayOfUnitCharges, lastDayToCharge, type TerminationTerms } from "./termination.ts";

/**
 * Ends the billing of a terminated lease: ends its recurring charges, rebills its last month and charges the termination fee. The days
 * between the end of the term and a later termination date, on which the tenant held over, are charged at the last rent.
 */
export async function endLeaseBilling(db: OrgDb, clients: Clients, lease: Lease, terms: TerminationTerms): Promise<LeaseBilling> {
  await saveLeases(db, clients.portfolio, [lease]);
  // The ledger may have been unavailable when the lease was activated or began, and that event may arrive later.
  if (await isUnstarted(db, lease.id)) await startLeaseBilling(db, clients, lease, true);
  const [chart, settings, leases] = await Promise.all([getChart(db), getLedgerSettings(db), findProjectedLeases(db, clients.portfolio, [lease.id])]);
  const { terminationDate, terminationFeeCents: amountCents } = terms;
  const projectedLease = leases.get(lease.id)!;
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    await followMoveOuts(tx, [lease.id]);
    if (!(await markBillingEnded(tx, lease.id))) return;
    // Includes ended rules: those of an expired lease may have charged days after the termination date.
    let locked = await lockRulesWithCharges(tx, ofLeasesOrTheirUnits(tx, [lease.id]));
    if (!billsTerms(lease, locked)) {
      await syncRentRules(tx, { settings, chart, projectedLease, comparesTerms: false }, lease);
      await tx.flush();
      locked = await lockRulesWithCharges(tx, ofLeasesOrTheirUnits(tx, [lease.id]));
    }
    const rules = locked.filter(({ leaseId }) => leaseId === lease.id);
    const formerEnds = endDatesOf(rules);
    const holdovers = rules.flatMap((rule) => endRule(tx, rule, lastDayToCharge(rule, rules, lease, terms), lease, terms));
    const context = { settings, chart, projectedLease, voidReason: "The lease was terminated." };
    await rebillRules(tx, context, rules);
    // A paused rent charges the months of its holdover once it is resumed.
    for (const holdover of holdovers.filter(({ rule }) => rule.status !== "paused"))
      await postCharges(tx, settings, chart, await chargeOfFirstDays(tx, settings.policies.prorationMethod, projectedLease, holdover));
    await rebillUnitRules(tx, context, locked, lastDayOfUnitCharges(lease, terms));
    const isOver = ({ status, startDate, endDate }: RecurringChargeRule) => status === "draft" || endDate! < maxDate(today(settings.timezone), startDate);
    for (const rule of rules) if (rule.status !== "ended" && isOver(rule)) await transitionRecurringCharge(tx, rule, "ended");
    await publishMovedEnds(tx, rules, formerEnds);
    if (amountCents)
      await postCharges(tx, settings, chart, [{ lease: projectedLease, amountCents, dueDate: terminationDate, chargeType: "fee", name: "Termination fee" }]);
  });
  return getLeaseBilling(db, lease.id, await findChargesSinceBillingEnd(db, lease.id));
}

/** Tells whether the recurring rent of a lease has its charge day and its rent changes, which may have been changed together with the termination. */
function billsTerms({ id, rentChargeDay, rentChanges }: Lease, rules: readonly RecurringChargeRule[]): boolean {
  const rents = rules.filter(({ leaseId, isLeaseRent }) => leaseId === id && isLeaseRent);
  const hasRule = (rentChange: { id: string; rentCents: number }) =>
    rentChange.rentCents === 0 || rents.some(({ rentChangeId }) => rentChangeId === rentChange.id);
  return rentChanges.every(hasRule) && rents.every(({ status, dayOfMonth }) => status === "ended" || dayOfMonth === rentChargeDay);
}

/** Tells whether the billing of a lease was not started yet, or only for a lease that was still pending. */
const isUnstarted = async (db: OrgDb, leaseId: string): Promise<boolean> =>
  (await db.first(sql`select 1 as found from lease_copy where organization_id = ${db.organizationId} and id = ${leaseId}
    and billing_ended_at is null and coalesce(billing_started_as, 'pending') = 'pending'`)) !== undefined;

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
    await followMoveOuts(tx, [lease.id]);
  });
}

/**
 * Ends the recurring charges of a cancelled or deleted lease, voids what they have charged in advance, and reinstates those of its predecessor.
 * A deleted lease is also removed from the projection, so that nothing can be charged on it. Idempotent.
 */
export async function cancelLeaseBilling(db: OrgDb, clients: Clients, leaseId: string, isDeleted: boolean): Promise<void> {
  const followed = await db.all(sql<{ leaseId: string }>`select distinct lease_id from recurring_charge_rule
    where organization_id = ${db.organizationId} and followed_by_lease_id = ${leaseId}`);
  const ids = followed.map((rule) => rule.leaseId);
  const [chart, settings, leases] = await Promise.all([getChart(db), getLedgerSettings(db), findProjectedLeases(db, clients.portfolio, [leaseId, ...ids])]);
  const cancelled = leases.get(leaseId);
  await transaction(db, async (tx) => {
    await lockLeases(tx, [leaseId, ...ids]);
    const rules = await lockRulesWithCharges(tx, sql`(lease_id = ${leaseId} or followed_by_lease_id = ${leaseId}) and status <> 'ended'`);
    const ownRules = rules.filter((rule) => rule.leaseId === leaseId);
    await releaseRecords(tx, [leaseId]);
    if (cancelled) {
      const context = { settings, chart, projectedLease: cancelled, voidReason: "The lease was cancelled." };
      await rebillRules(tx, context, ownRules, addDays(cancelled.startDate, -1));
    }
    for (const projectedLease of leases.values()) {
      const predecessorRules = rules.filter((rule) => rule.leaseId === projectedLease.id);
      if (projectedLease !== cancelled) await reinstatePredecessorRules(tx, { settings, chart, projectedLease }, predecessorRules);
    }
    for (const rule of ownRules) await transitionRecurringCharge(tx, rule, "ended");
    if (isDeleted) await tx.all(sql`delete from lease_copy where organization_id = ${tx.organizationId} and id = ${leaseId}`);
    else
      await tx.all(sql`update lease_copy set status = 'cancelled', updated_at = now(), version = version + 1
        where organization_id = ${tx.organizationId} and id = ${leaseId} and status in ('draft', 'pending')`);
  });
}
