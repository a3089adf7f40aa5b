/** What a change of a lease means for its rent. */
import { addDays, earlier, lastOfMonth } from "@freehold/kit/dates";
import { transaction, type OrgDb, type OrgTx } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { rulesOf, type BookRules } from "../books/books.ts";
import { chartOf, type Chart } from "../categories/categories.ts";
import { chargeLeases } from "../charges/charging.ts";
import type { Clients } from "../clients.ts";
import { findLeases, keepLeases, type LeaseFacts } from "../copies/copies.ts";
import { prorate } from "../recurring-charges/proration.rules.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { lockRules, move } from "../recurring-charges/recurring-charges.ts";
import { endRulesBefore } from "./followed-rules.ts";
import { settleLastMonth } from "./last-month.ts";
import { createRentRule, lockLease, readBilling } from "./lease-billing.ts";

/**
 * Has the rent of a lease follow the lease: its place, its amount and its first day until it has begun, its day of the
 * month and its end for as long as it runs. A lease that is over is left as it was settled.
 */
export async function reviseLeaseBilling(db: OrgDb, clients: Clients, lease: Lease): Promise<LeaseBilling> {
  await keepLeases(db, clients.portfolio, [lease]);
  if (!["draft", "pending", "active"].includes(lease.status)) return readBilling(db, lease.id, []);
  const [chart, rules, facts] = await Promise.all([chartOf(db), rulesOf(db), findLeases(db, clients.portfolio, [lease.id])]);
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    if (await isSettled(tx, lease.id)) return;
    if (lease.status === "pending" && lease.renewedFromLeaseId) await endRulesBefore(tx, lease.renewedFromLeaseId, lease);
    const [existing] = await lockRules(tx, sql`lease_id = ${lease.id} and is_lease_rent and status <> 'ended'`);
    const rent = lease.status === "active" ? existing : await reviseBeforeStart(tx, chart, lease, existing);
    if (rent && !rent.followedByLeaseId) await reviseEnd(tx, rules, chart, facts.get(lease.id)!, lease, rent);
  });
  return readBilling(db, lease.id, []);
}

/** Whether the end of the lease was settled: what is heard late must not undo it. */
async function isSettled(tx: OrgTx, leaseId: string): Promise<boolean> {
  const settled = await tx.first(
    sql`select 1 as one from lease_copy where organization_id = ${tx.organizationId} and id = ${leaseId} and billing_ended_at is not null`,
  );
  return settled !== undefined;
}

/** The rules of a lease that has not begun are about what the lease says; one without rent has no rule for it. Answers that of its rent. */
async function reviseBeforeStart(tx: OrgTx, chart: Chart, lease: Lease, rent: RecurringChargeRule | undefined): Promise<RecurringChargeRule | undefined> {
  const { propertyId, unitId, tenantId, startDate } = lease;
  const isCharged = lease.createRecurringRent && lease.rentCents > 0;
  // No longer the lease's rent: should there be one again, that is another rule.
  if (rent && !isCharged) await move(tx, tx.assign(rent, { isLeaseRent: false }), "ended");
  for (const rule of await lockRules(tx, sql`lease_id = ${lease.id} and status <> 'ended'`)) tx.assign(rule, { propertyId, unitId, tenantId });
  if (!isCharged) return undefined;
  if (!rent) return lease.status === "pending" ? createRentRule(tx, chart, lease, "active") : undefined;
  const amountCents = lease.rentCents as RecurringChargeRule["amountCents"];
  return tx.assign(rent, { amountCents, startDate, postFrom: startDate, proratesFirstMonth: lease.prorateFirstMonth });
}

/** What was charged beyond an earlier end goes; what a later one adds to a month that was charged by the day comes. */
async function reviseEnd(tx: OrgTx, rules: BookRules, chart: Chart, facts: LeaseFacts, lease: Lease, rent: RecurringChargeRule): Promise<void> {
  const [before, now] = [rent.endDate ?? null, lease.billedUntil ?? null];
  tx.assign(rent, { dayOfMonth: lease.rentChargeDay, endDate: now });
  if (before === now) return;
  if (now !== null && (before === null || now < before)) await settleLastMonth(tx, rules, chart, facts, [rent], "The lease ends earlier.");
  else await chargeRestOfMonth(tx, rules, chart, facts, rent);
}

/** A lease that goes on after all owes the rest of the month that was charged only up to its former end. */
async function chargeRestOfMonth(tx: OrgTx, rules: BookRules, chart: Chart, lease: LeaseFacts, rent: RecurringChargeRule): Promise<void> {
  const last = await tx.first(sql<{ periodEnd: string }>`select period_end from charge
    where organization_id = ${tx.organizationId} and recurring_charge_rule_id = ${rent.id} and status <> 'voided' order by period_end desc limit 1`);
  if (!last || last.periodEnd === lastOfMonth(last.periodEnd)) return;
  const periodStart = addDays(last.periodEnd, 1);
  const periodEnd = rent.endDate ? earlier(rent.endDate, lastOfMonth(periodStart)) : lastOfMonth(periodStart);
  const amountCents = prorate(rules.policies.prorationMethod, rent.amountCents, periodStart, periodEnd);
  if (amountCents === 0) return;
  await chargeLeases(tx, rules, chart, [
    {
      lease,
      amountCents,
      dueDate: periodStart,
      chargeType: rent.kind,
      categoryId: rent.categoryId,
      name: `${rent.label}, rest of the month by the day`,
      rule: { id: rent.id, periodStart, periodEnd },
    },
  ]);
}
