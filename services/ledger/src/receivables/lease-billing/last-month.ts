/** The end of a lease on the books: what was charged beyond it goes, what is still owed up to it comes. */
import { today } from "@freehold/kit/time/clock";
import { minDate, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { BookRules } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { Charge } from "../charges/charge.entity.ts";
import { chargeLeases, type NewCharge } from "../charges/charging.ts";
import { takeOffTheBooks } from "../charges/voiding.ts";
import type { LeaseFacts } from "../../projections/copies.ts";
import { prorate } from "../recurring-charges/proration.rules.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { duePeriods, termsOf } from "../recurring-charges/recurring-charge.rules.ts";

/**
 * Voids what rules that now have an end charged for the time after it, as far as nothing is paid on it; charges the part
 * of the month that the lease still covers, and posts what fell due meanwhile. What is already paid stays as it is.
 */
export async function settleLastMonth(
  tx: OrgTx,
  rules: BookRules,
  chart: Chart,
  lease: LeaseFacts,
  live: readonly RecurringChargeRule[],
  reason: string,
): Promise<void> {
  const beyond = await chargedBeyond(tx, live);
  for (const charge of beyond) await takeOffTheBooks(tx, rules.timezone, charge, reason);
  const parts = beyond.flatMap((charge) => remainingPart(rules, live, lease, charge));
  await chargeLeases(tx, rules, chart, [...parts, ...dueUntilTheEnd(rules, lease, live)]);
}

/** Unpaid charges of rent for days after the end, and of fees that fall due after it. */
async function chargedBeyond(tx: OrgTx, rules: readonly RecurringChargeRule[]): Promise<Charge[]> {
  const rows = await tx.all(sql<{
    id: string;
  }>`select c.id from charge c join recurring_charge_rule r on r.organization_id = c.organization_id and r.id = c.recurring_charge_rule_id
    where c.organization_id = ${tx.organizationId} and r.id = any(${rules.map(({ id }) => id)}::uuid[]) and c.status = 'pending'
      and case when r.is_lease_rent then c.period_end else c.due_date end > r.end_date`);
  const charges = await tx.findAllForUpdate(
    Charge,
    rows.map(({ id }) => id),
  );
  // Locked, a charge may turn out to be paid meanwhile.
  return charges.filter(({ status }) => status === "pending");
}

/** The rent of the days that the lease still covers of a month whose charge was voided. */
function remainingPart({ policies }: BookRules, rules: readonly RecurringChargeRule[], lease: LeaseFacts, charge: Charge): NewCharge[] {
  const rule = rules.find(({ id }) => id === charge.recurringChargeRuleId);
  const lastDay = rule?.endDate;
  if (!rule?.isLeaseRent || !lastDay || !charge.periodStart || charge.periodStart > lastDay) return [];
  const from = rule.proratesFirstMonth ? charge.periodStart : startOfMonth(charge.periodStart);
  const amountCents = prorate(policies.prorationMethod, rule.amountCents, from, lastDay);
  if (amountCents === 0) return [];
  const dueDate = minDate(charge.dueDate, lastDay);
  return [{ lease, amountCents, dueDate, chargeType: rule.kind, categoryId: rule.categoryId, name: `${rule.label}, last month by the day` }];
}

/** What fell due up to today; months that are charged already, voided or not, are passed over when they are posted. */
const dueUntilTheEnd = ({ timezone, policies }: BookRules, lease: LeaseFacts, rules: readonly RecurringChargeRule[]): NewCharge[] =>
  rules
    .filter(({ status }) => status === "active")
    .flatMap((rule) =>
      duePeriods(termsOf(rule), minDate(today(timezone), endOfMonth(rule.endDate!)), policies.prorationMethod).map(
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
