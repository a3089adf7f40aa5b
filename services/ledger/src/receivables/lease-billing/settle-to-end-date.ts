import { today } from "@freehold/kit/time/clock";
import { minDate, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { Charge } from "../charges/charge.entity.ts";
import { postCharges, type NewCharge } from "../charges/post-charges.ts";
import { voidLockedCharge } from "../charges/void-charge.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import { prorate } from "../recurring-charges/proration.rules.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { duePeriods, ruleTerms } from "../recurring-charges/recurring-charge.rules.ts";

/**
 * Adjusts the charges of recurring charges to their end date: voids unpaid charges of rent for days after it and of fees due
 * after it, replaces a voided charge of rent by a prorated one up to the end date, and posts the periods that are due. Charges
 * with a payment, and prorated charges of an earlier adjustment, stay unchanged.
 */
export async function settleToEndDate(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  lease: ProjectedLease,
  rules: readonly RecurringChargeRule[],
  voidReason: string,
): Promise<void> {
  const chargesAfterEndDate = await lockChargesAfterEndDate(tx, rules);
  for (const charge of chargesAfterEndDate) await voidLockedCharge(tx, settings.timezone, charge, voidReason);
  const partialMonths = chargesAfterEndDate.flatMap((charge) => partialMonthCharge(settings, rules, lease, charge));
  await postCharges(tx, settings, chart, [...partialMonths, ...dueCharges(settings, lease, rules)]);
}

/** Locks the unpaid charges of rent for days after the end date, and of fees due after it. */
async function lockChargesAfterEndDate(tx: OrgTx, rules: readonly RecurringChargeRule[]): Promise<Charge[]> {
  const rows = await tx.all(sql<{
    id: string;
  }>`select c.id from charge c join recurring_charge_rule r on r.organization_id = c.organization_id and r.id = c.recurring_charge_rule_id
    where c.organization_id = ${tx.organizationId} and r.id = any(${rules.map(({ id }) => id)}::uuid[]) and c.status = 'pending'
      and case when r.is_lease_rent then c.period_end else c.due_date end > r.end_date`);
  const charges = await tx.findAllForUpdate(
    Charge,
    rows.map(({ id }) => id),
  );
  // A charge may have been paid before it was locked.
  return charges.filter(({ status }) => status === "pending");
}

/** Returns the prorated charge that replaces a voided charge of rent up to the end date, or an empty array when none remains to charge. */
function partialMonthCharge({ policies }: LedgerSettings, rules: readonly RecurringChargeRule[], lease: ProjectedLease, voided: Charge): NewCharge[] {
  const rule = rules.find(({ id }) => id === voided.recurringChargeRuleId);
  const lastDay = rule?.endDate;
  if (!rule?.isLeaseRent || !lastDay || !voided.periodStart || voided.periodStart > lastDay) return [];
  const chargedFrom = rule.proratesFirstMonth ? voided.periodStart : startOfMonth(voided.periodStart);
  const amountCents = prorate(policies.prorationMethod, rule.amountCents, chargedFrom, lastDay);
  if (amountCents === 0) return [];
  const dueDate = minDate(voided.dueDate, lastDay);
  return [{ lease, amountCents, dueDate, chargeType: rule.kind, categoryId: rule.categoryId, name: `${rule.label}, prorated last month` }];
}

/** Returns the charges due up to today. `postCharges` skips periods that were charged before, even if voided. */
const dueCharges = ({ timezone, policies }: LedgerSettings, lease: ProjectedLease, rules: readonly RecurringChargeRule[]): NewCharge[] =>
  rules
    .filter(({ status }) => status === "active")
    .flatMap((rule) =>
      duePeriods(ruleTerms(rule), minDate(today(timezone), endOfMonth(rule.endDate!)), policies.prorationMethod).map(
        ({ periodStart, periodEnd, dueDate, amountCents }): NewCharge => ({
          lease,
          amountCents,
          dueDate,
          chargeType: rule.kind,
          categoryId: rule.categoryId,
          name: rule.label,
          rule: { id: rule.id, periodStart, periodEnd },
        }),
      ),
    );
