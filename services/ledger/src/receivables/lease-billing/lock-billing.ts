/** Locks of the rows that the billing of leases changes, in the order of all operations: recurring charges, payments, charges. */
import { transactionConflict } from "@freehold/kit/db/database-error";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { selectCarriedPayments } from "../allocations/carry-payments.ts";
import { Charge } from "../charges/charge.entity.ts";
import { Payment } from "../payments/payment.entity.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { lockRecurringCharges } from "../recurring-charges/recurring-charges.ts";

/** Returns the condition for the recurring charges of leases and those on the units of the leases, which may have charged the leases. */
export const ofLeasesOrTheirUnits = (tx: OrgTx, leaseIds: readonly string[]): RawBuilder<unknown> => sql`(lease_id = any(${[...leaseIds]}::uuid[])
  or (lease_id is null and unit_id = any(array(select unit_id from lease_copy where organization_id = ${tx.organizationId} and id = any(${[...leaseIds]}::uuid[])))))`;

/**
 * Locks the recurring charges that meet a condition, with their charges. A transaction that rebills the recurring charges of several
 * leases calls this first, because it must not lock a recurring charge after a charge.
 */
export async function lockRulesWithCharges(tx: OrgTx, condition: RawBuilder<unknown>): Promise<RecurringChargeRule[]> {
  const rules = await lockRecurringCharges(tx, condition);
  await lockChargesOfRules(tx, rules);
  return rules;
}

/**
 * Locks the payments that settle charges of locked recurring charges or whose money is carried to such charges, and then the charges
 * and their late fees. Returns the charges of the recurring charges that are not superseded.
 */
export async function lockChargesOfRules(tx: OrgTx, rules: readonly RecurringChargeRule[]): Promise<Charge[]> {
  if (rules.length === 0) return [];
  const ruleIds = rules.map(({ id }) => id);
  const paymentIds = await findPaymentIds(tx, rules);
  await tx.findAllForUpdate(Payment, paymentIds);
  const ofRules = sql`select id from charge where organization_id = ${tx.organizationId} and recurring_charge_rule_id = any(${ruleIds}::uuid[]) and not is_superseded`;
  const charges = await tx.all(sql<{ id: string }>`${ofRules} union all select id from charge
    where organization_id = ${tx.organizationId} and late_fee_for_charge_id = any(array(${ofRules})) and not is_superseded`);
  const locked = await tx.findAllForUpdate(
    Charge,
    charges.map(({ id }) => id),
  );
  await lockPaymentsAllocatedMeanwhile(tx, rules, paymentIds);
  return locked.filter(({ recurringChargeRuleId }) => recurringChargeRuleId);
}

/** Selects the payments that settle the superseded or the other charges of recurring charges; both have an index by their recurring charge. */
const selectSettlingPayments = (tx: OrgTx, ruleIds: readonly string[], isSuperseded: RawBuilder<unknown>): RawBuilder<{ id: string }> => sql<{ id: string }>`
  select a.payment_id as id from charge c join payment_allocation a on a.organization_id = c.organization_id and a.charge_id = c.id and a.released_at is null
  where c.organization_id = ${tx.organizationId} and c.recurring_charge_rule_id = any(${[...ruleIds]}::uuid[]) and ${isSuperseded}`;

/** Returns the ids of the payments that settle charges of recurring charges, or whose money is carried to such charges. */
async function findPaymentIds(tx: OrgTx, rules: readonly RecurringChargeRule[]): Promise<string[]> {
  const ruleIds = rules.map(({ id }) => id);
  const leaseIds = [...new Set(rules.flatMap(({ leaseId }) => leaseId ?? []))];
  const payments = await tx.all(sql<{ id: string }>`${selectSettlingPayments(tx, ruleIds, sql`not c.is_superseded`)}
    union ${selectSettlingPayments(tx, ruleIds, sql`c.is_superseded`)} union ${selectCarriedPayments(tx, leaseIds)}`);
  return payments.map(({ id }) => id);
}

/**
 * Locks payments that were allocated to the charges while this transaction waited for the charges. Another transaction that holds such a
 * payment may wait for the charges, so this does not wait: it throws, and the repeated transaction locks the payment before the charges.
 */
async function lockPaymentsAllocatedMeanwhile(tx: OrgTx, rules: readonly RecurringChargeRule[], lockedIds: readonly string[]): Promise<void> {
  const locked = new Set(lockedIds);
  const ids = (await findPaymentIds(tx, rules)).filter((id) => !locked.has(id));
  if (ids.length === 0) return;
  const available = await tx.findAvailableForUpdate(Payment, ids);
  if (available.length < ids.length) throw transactionConflict("A payment that was allocated meanwhile is locked by another transaction.");
}
