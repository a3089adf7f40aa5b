/** The end of a lease on the books: what was charged beyond it goes, what is still owed up to it comes. */
import { now, today } from "@freehold/kit/clock";
import { earlier, lastOfMonth } from "@freehold/kit/dates";
import type { OrgTx } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";
import type { BookRules } from "../books/books.ts";
import type { Chart } from "../categories/categories.ts";
import { Charge } from "../charges/charge.entity.ts";
import { chargeFlow } from "../charges/charge.rules.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { chargeLeases, type NewCharge } from "../charges/charging.ts";
import type { LeaseFacts } from "../copies/copies.ts";
import { reverseEntries } from "../journal-entries/posting.ts";
import { prorate } from "../recurring-charges/proration.rules.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { duePeriods } from "../recurring-charges/recurring-charge.rules.ts";

/**
 * Voids what was charged for the time after the last day as far as nothing is paid on it, charges the part of the month
 * that the lease still covers, and posts what fell due meanwhile. What is already paid stays as it is.
 */
export async function settleLastMonth(
  tx: OrgTx,
  rules: BookRules,
  chart: Chart,
  lease: LeaseFacts,
  live: readonly RecurringChargeRule[],
  lastDay: string,
): Promise<ChargeRow[]> {
  const beyond = await chargedBeyond(tx, live, lastDay);
  for (const charge of beyond) await voidUnpaid(tx, rules.timezone, charge);
  const parts = beyond.flatMap((charge) => remainingPart(rules, live, lease, charge, lastDay));
  const charged = new Set(
    (
      await tx.all(sql<{ key: string }>`select recurring_charge_rule_id || ' ' || period_start as key from charge
    where organization_id = ${tx.organizationId} and recurring_charge_rule_id = any(${live.map(({ id }) => id)}::uuid[])`)
    ).map(({ key }) => key),
  );
  const due = live
    .filter(({ status }) => status === "active")
    .flatMap((rule) =>
      duePeriods({ ...rule, endDate: rule.endDate ?? null }, earlier(today(rules.timezone), lastOfMonth(lastDay)), rules.policies.prorationMethod)
        .filter(({ periodStart }) => !charged.has(`${rule.id} ${periodStart}`))
        .map(({ periodStart, periodEnd, dueDate, amountCents }): NewCharge => ({
          lease,
          amountCents,
          dueDate,
          chargeType: rule.kind,
          categoryId: rule.categoryId,
          name: rule.label,
          rule: { id: rule.id, periodStart, periodEnd },
        })),
    );
  return chargeLeases(tx, rules.timezone, chart, [...parts, ...due]);
}

const chargedBeyond = (tx: OrgTx, rules: readonly RecurringChargeRule[], lastDay: string): Promise<Charge[]> =>
  tx.find(Charge, {
    recurringChargeRuleId: { $in: rules.map(({ id }) => id) },
    periodEnd: { $gt: lastDay },
    allocatedCents: 0 as Charge["allocatedCents"],
    status: "pending",
  });

async function voidUnpaid(tx: OrgTx, timezone: string, charge: Charge): Promise<void> {
  await reverseEntries(tx, timezone, [charge.entryId], { occurredAt: now(), memo: `Voided: ${charge.name}, the lease has ended` });
  tx.assign(charge, {
    status: chargeFlow.move(charge.status, "voided"),
    balanceCents: 0 as Charge["balanceCents"],
    voidedAt: now(),
    voidReason: "The lease was terminated.",
  });
}

/** The rent of the days that the lease still covers of a month whose charge was voided. */
function remainingPart({ policies }: BookRules, rules: readonly RecurringChargeRule[], lease: LeaseFacts, charge: Charge, lastDay: string): NewCharge[] {
  const rule = rules.find(({ id }) => id === charge.recurringChargeRuleId);
  if (!rule?.isLeaseRent || !charge.periodStart || charge.periodStart > lastDay) return [];
  const amountCents = prorate(policies.prorationMethod, rule.amountCents, charge.periodStart, lastDay);
  return amountCents > 0
    ? [
        {
          lease,
          amountCents,
          dueDate: earlier(charge.dueDate, lastDay),
          chargeType: rule.kind,
          categoryId: rule.categoryId,
          name: `${rule.label}, last month by the day`,
        },
      ]
    : [];
}
