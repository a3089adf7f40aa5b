/** End of billing for expired, cancelled and deleted leases. */
import { minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { lockLease, lockLeases } from "../../projections/lock-leases.ts";
import { findProjectedLeases, saveLeases } from "../../projections/projections.ts";
import { transitionRecurringCharge } from "../recurring-charges/recurring-charges.ts";
import { lockRulesWithCharges, ofLeasesOrTheirUnits } from "./lock-billing.ts";
import { reinstatePredecessorRules } from "./predecessor-rules.ts";
import { rebillRules, rebillUnitRules } from "./rebill-rules.ts";

/** Ends the recurring charges of an expired lease on its last day and settles its charges up to that day. Idempotent. */
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
      const ofPredecessor = rules.filter((rule) => rule.leaseId === projectedLease.id);
      await reinstatePredecessorRules(tx, { settings, chart, projectedLease }, ofPredecessor);
    }
    for (const rule of rules) if (rule.leaseId === leaseId) await transitionRecurringCharge(tx, rule, "ended");
    if (isDeleted) await tx.all(sql`delete from lease_copy where organization_id = ${tx.organizationId} and id = ${leaseId}`);
  });
}
