/** Revision of a lease's billing after the lease changed. */
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { reassignMergedLeaseTenants } from "../tenant-merges/merged-lease-tenants.ts";
import type { Charge } from "../charges/charge.entity.ts";
import { findProjectedLeases, saveLeases } from "../../projections/projections.ts";
import { lockLeases } from "../../projections/lock-leases.ts";
import { reviseMoveOut } from "../../trust/security-deposits/disposition/move-out.ts";
import { followLeases } from "../../trust/security-deposits/deposit-holders.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { lockRecurringCharges, transitionRecurringCharge } from "../recurring-charges/recurring-charges.ts";
import { endDatesOf, publishMovedEnds } from "../recurring-charges/split-rule.ts";
import { lockChargesOfRules, lockRulesWithCharges, ofLeasesOrTheirUnits } from "./lock-billing.ts";
import { endPredecessorRules, endsWithLease } from "./predecessor-rules.ts";
import { rebillRules, rebillUnitRules, type RebillingContext } from "./rebill-rules.ts";
import { syncRentRules } from "./sync-rent-rules.ts";
import { billingStartDate, createInitialRentRule, feeStart, getLeaseBilling } from "./lease-billing.ts";

/**
 * Applies the changed terms of a lease to its recurring charges and its security deposit: before the lease starts its unit, tenant, rent and start
 * date, and until it ends its rent changes, charge day and end date. A pending lease that starts on another day than agreed is revised as
 * before its start. A merge of its tenant is no change of terms. Of leases that have ended only the move-out is revised. Idempotent.
 */
export async function reviseLeaseBilling(db: OrgDb, clients: Clients, lease: Lease): Promise<LeaseBilling> {
  const hasMovedStart = (await findMovedStarts(db, [lease])).length > 0;
  await saveLeases(db, clients.portfolio, [lease]);
  if (!["draft", "pending", "active"].includes(lease.status)) {
    await reviseMoveOut(db, lease.id);
    return getLeaseBilling(db, lease.id, []);
  }
  await reassignMergedLeaseTenants(db, clients.portfolio, lease);
  const predecessorId = lease.status === "pending" || hasMovedStart ? lease.renewedFromLeaseId : undefined;
  const ids = [lease.id, ...(predecessorId ? [predecessorId] : [])];
  const [chart, settings, leases] = await Promise.all([getChart(db), getLedgerSettings(db), findProjectedLeases(db, clients.portfolio, ids)]);
  await transaction(db, async (tx) => {
    await lockLeases(tx, ids);
    if ((await isStale(tx, lease)) || (await isBillingEnded(tx, lease.id))) return;
    const rules = await lockRulesWithCharges(tx, ofLeasesOrTheirUnits(tx, ids));
    const predecessor = predecessorId && leases.get(predecessorId);
    if (predecessor) await endPredecessorRules(tx, { settings, chart, projectedLease: predecessor }, lease, rules);
    const comparesTerms = (lease.status !== "active" || hasMovedStart) && (await reviseBeforeStart(tx, chart, lease));
    const context = { settings, chart, projectedLease: leases.get(lease.id)!, comparesTerms, keepsVoided: hasMovedStart };
    await syncRentRules(tx, context, lease);
    const feeContext = { ...context, voidReason: "The term of the lease changed." };
    const fees = rules.filter(({ leaseId, isLeaseRent, status }) => (leaseId ?? lease.id) === lease.id && !isLeaseRent && status !== "ended");
    const leaseFees = fees.filter(({ leaseId }) => leaseId);
    await moveEndsOfRentParts(tx, feeContext, leaseFees, lease);
    if (comparesTerms) await rebillRules(tx, feeContext, leaseFees);
    await supersedeFeesAfterEnd(tx, feeContext, fees, lease);
    await followLeases(tx, [lease.id]);
  });
  return getLeaseBilling(db, lease.id, []);
}

/**
 * Returns those active leases whose billing was started while they were pending, with another start date: the one that is stored, or
 * that of their recurring charges if an event has stored the new one already.
 */
export async function findMovedStarts(db: StatementRunner, leases: readonly Lease[]): Promise<Lease[]> {
  const active = leases.filter(({ status }) => status === "active");
  if (active.length === 0) return [];
  const input = JSON.stringify(active.map(({ id, startDate }) => ({ id, start_date: startDate })));
  const rows = await db.all(sql<{ id: string }>`select lease.id from jsonb_to_recordset(${input}::jsonb) as input (id uuid, start_date date)
    join lease_copy lease on lease.organization_id = ${db.organizationId} and lease.id = input.id and lease.billing_started_as = 'pending'
    where lease.start_date <> input.start_date or exists (select from recurring_charge_rule rule where rule.organization_id = lease.organization_id
      and rule.lease_id = lease.id and rule.rent_change_id is null and rule.status <> 'ended' and rule.deleted_at is null
      and rule.start_date <> case when rule.is_lease_rent then input.start_date else greatest(rule.agreed_from, input.start_date) end)`);
  const ids = new Set(rows.map(({ id }) => id));
  return active.filter(({ id }) => ids.has(id));
}

/**
 * Supersedes fees, also those on the unit, that were posted ahead and are due after the end of the lease, unless the end has passed.
 * They are posted again when the lease is extended.
 */
async function supersedeFeesAfterEnd(tx: OrgTx, context: RebillingContext, fees: readonly RecurringChargeRule[], lease: Lease): Promise<void> {
  const { id, billedUntil: lastDay } = lease;
  if (!lastDay || lastDay < today(context.settings.timezone)) return;
  const charges = await lockChargesOfRules(tx, fees);
  const isAfterEnd = ({ leaseId, status, dueDate }: Charge) => leaseId === id && status !== "voided" && dueDate > lastDay;
  const affectedIds = new Set(charges.filter(isAfterEnd).map(({ recurringChargeRuleId }) => recurringChargeRuleId));
  const affected = fees.filter((fee) => affectedIds.has(fee.id));
  if (affected.length === 0) return;
  const leaseFees = affected.filter(({ leaseId }) => leaseId);
  await rebillRules(tx, context, leaseFees, lastDay);
  await rebillUnitRules(tx, context, affected, lastDay);
}

/** Moves the ends of the parts of the rent that end with the lease, and charges or supersedes the days between. A renewal keeps its own end of them. */
async function moveEndsOfRentParts(tx: OrgTx, context: RebillingContext, fees: readonly RecurringChargeRule[], lease: Lease): Promise<void> {
  const billedUntil = lease.billedUntil ?? null;
  const moved = fees.filter((rule) => endsWithLease(rule) && !rule.followedByLeaseId && (rule.endDate ?? null) !== billedUntil);
  if (moved.length === 0) return;
  const formerEnds = endDatesOf(moved);
  for (const rule of moved) tx.assign(rule, { endDate: billedUntil, leaseEnd: billedUntil });
  await rebillRules(tx, context, moved);
  await publishMovedEnds(tx, moved, formerEnds);
}

/** Returns true if a later version of the lease was applied already, else stores this version. Requests and events may arrive out of order. */
async function isStale(tx: OrgTx, { id, version }: Lease): Promise<boolean> {
  const updated = await tx.all(sql`update lease_copy set heard_version = ${version}
    where organization_id = ${tx.organizationId} and id = ${id} and coalesce(heard_version, 0) <= ${version} returning id`);
  return updated.length === 0;
}

/** Returns true if the billing of the lease was ended; a late event must not revise it. */
export const isBillingEnded = async (db: StatementRunner, leaseId: string): Promise<boolean> =>
  (await db.first(sql`select 1 as found from lease_copy where organization_id = ${db.organizationId} and id = ${leaseId} and billing_ended_at is not null`)) !==
  undefined;

/**
 * Applies unit, tenant, rent, start date and proration of a lease that has not started. Without a rent to charge its rent rule is ended.
 * Fees move with the start. Returns true if the rent rule changed.
 */
async function reviseBeforeStart(tx: OrgTx, chart: Chart, lease: Lease): Promise<boolean> {
  const { propertyId, unitId, tenantId, startDate } = lease;
  const [rentRule] = await lockRecurringCharges(tx, sql`lease_id = ${lease.id} and is_lease_rent and status <> 'ended'`);
  const hasRecurringRent = lease.createRecurringRent && lease.rentCents > 0;
  // The ended rule no longer counts as the lease's rent, so that a later rent gets a rule of its own.
  if (rentRule && !hasRecurringRent) await transitionRecurringCharge(tx, tx.assign(rentRule, { isLeaseRent: false }), "ended");
  const amountCents = lease.rentCents as RecurringChargeRule["amountCents"];
  const terms = { unitId, tenantId, amountCents, startDate, proratesFirstMonth: lease.prorateFirstMonth };
  const hasChanged = rentRule !== undefined && Object.entries(terms).some(([name, value]) => rentRule[name as keyof typeof terms] !== value);
  for (const rule of await lockRecurringCharges(tx, sql`lease_id = ${lease.id} and status <> 'ended'`)) {
    tx.assign(rule, { propertyId, unitId, tenantId });
    if (!rule.isLeaseRent && rule.startDate !== feeStart(rule, lease)) tx.assign(rule, { startDate: feeStart(rule, lease), postFrom: billingStartDate(lease) });
  }
  if (!hasRecurringRent) return false;
  if (rentRule) tx.assign(rentRule, { ...terms, postFrom: billingStartDate(lease) });
  else if (lease.status === "pending") await createInitialRentRule(tx, chart, lease, "active");
  return hasChanged;
}
