/** Fees of renewals that have not begun: they follow the changes of the fees that they continue. */
import { minDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { lockLeases } from "../../projections/lock-leases.ts";
import type { RecurringChargeRule } from "./recurring-charge.entity.ts";
import { lockRecurringCharges } from "./recurring-charges.ts";
import { nextMonthToCharge, requireEndAfterPosted } from "./rule-change.rules.ts";
import { findPosted, publishChange, publishCreated, splitRule, type ChangedTerms } from "./split-rule.ts";

/**
 * Locks the fees that continue a fee on renewals that have not begun, with these renewals and the fee itself. The caller has locked the
 * lease of the fee.
 */
export async function lockRenewalFees(tx: OrgTx, ruleId: string): Promise<RecurringChargeRule[]> {
  const fees = await tx.all(sql<{ id: string; leaseId: string }>`select r.id, r.lease_id from recurring_charge_rule r
      join lease_copy l on l.organization_id = r.organization_id and l.id = r.lease_id
    where r.organization_id = ${tx.organizationId} and r.continues_rule_id = ${ruleId} and r.status <> 'ended' and l.status in ('draft', 'pending')`);
  if (fees.length === 0) return [];
  await lockLeases(
    tx,
    fees.map(({ leaseId }) => leaseId),
  );
  const locked = await lockRecurringCharges(tx, sql`(id = ${ruleId} or id = any(${fees.map(({ id }) => id)}::uuid[]))`);
  return locked.filter(({ id, status }) => id !== ruleId && status !== "ended");
}

/** Terms of a fee before a change, and its end date without a renewal. */
export type PreviousTerms = Pick<RecurringChargeRule, "amountCents" | "categoryId" | "dayOfMonth" | "label" | "endDate">;

export const previousTerms = ({ amountCents, categoryId, dayOfMonth, label, endDate, followedByLeaseId, ownEndDate }: RecurringChargeRule): PreviousTerms => ({
  amountCents,
  categoryId,
  dayOfMonth,
  label,
  endDate: (followedByLeaseId ? ownEndDate : endDate) ?? null,
});

/**
 * Applies a new end date of a fee to the locked fees that continue it and have its previous end date. A fee that ends before its renewal
 * starts charges nothing. Throws 400 when one of them has a posted charge that is due after the new end date.
 */
export async function changeEndOfRenewalFees(
  tx: OrgTx,
  fees: readonly RecurringChargeRule[],
  rule: RecurringChargeRule,
  previous: PreviousTerms,
  endDate: string | null,
): Promise<void> {
  for (const fee of fees.filter((each) => (each.endDate ?? null) === previous.endDate)) {
    if (endDate !== null) requireEndAfterPosted(endDate, { startDate: minDate(rule.startDate, endDate) }, (await findPosted(tx, fee.id)).lastDueDate);
    tx.assign(fee, { endDate });
    await publishChange(tx, fee);
  }
}

/**
 * Applies changed terms of a fee from a month on to the locked fees that continue it, where they still have the previous terms. A
 * continuing fee is split as well if it still charges months before that month, or may do so after its renewal is moved to an earlier
 * start. The parts with the changed terms continue `changed`.
 */
export async function changeTermsOfRenewalFees(
  tx: OrgTx,
  fees: readonly RecurringChargeRule[],
  changed: RecurringChargeRule,
  previous: PreviousTerms,
  { month, isSplit, terms }: { month: string; isSplit: boolean; terms: ChangedTerms },
): Promise<void> {
  for (const fee of fees.filter(({ endDate }) => !endDate || endDate >= month)) {
    const names = (Object.keys(terms) as (keyof ChangedTerms)[]).filter((name) => fee[name] === previous[name]);
    const { chargedPeriods } = await findPosted(tx, fee.id);
    const isLater = month > nextMonthToCharge(fee, chargedPeriods) || (isSplit && chargedPeriods.length === 0);
    const later = isLater ? splitRule(tx, fee, month) : fee;
    tx.assign(later, { ...Object.fromEntries(names.map((name) => [name, terms[name]])), continuesRuleId: changed.id });
    await tx.flush();
    await publishChange(tx, fee);
    if (later !== fee) await publishCreated(tx, later);
  }
}
