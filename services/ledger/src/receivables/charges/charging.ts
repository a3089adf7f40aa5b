/** Puts charges on the books: the rows, their entries and their events, all in the transaction at hand. */
import { now, today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import type { BookRules } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { accountOfChargeType, RECEIVABLE } from "../../chart/chart.ts";
import type { LeaseFacts } from "../../projections/copies.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { post } from "../../journal/posting.ts";
import { applyCredit } from "../payments/credit.ts";
import { chargeColumns, type ChargeRow } from "./charge.view.ts";

const announce = eventPublisher("ledger");

export interface NewCharge {
  lease: LeaseFacts;
  amountCents: number;
  dueDate: string;
  chargeType: ChargeRow["chargeType"];
  categoryId?: string | undefined;
  name: string;
  memo?: string | undefined;
  /** The rule and the month that it is for; a rule charges each month once. */
  rule?: { id: string; periodStart: string; periodEnd: string };
}

/**
 * Posts charges: debit receivables, credit income (a deposit: the liability). A rule's month that is charged already is
 * passed over, whoever charged it. Credit that the tenant has is applied when the organization's policy says so. Answers
 * the rows that are new, as they were posted, in their order.
 */
export async function chargeLeases(tx: OrgTx, rules: BookRules, chart: Chart, charges: readonly NewCharge[]): Promise<ChargeRow[]> {
  if (charges.length === 0) return [];
  const rows = charges.map((charge) => row(charge, chart));
  const taken = await alreadyCharged(tx, charges);
  const fresh = rows.filter(({ rule_id, period_start }) => !taken.has(`${rule_id} ${period_start}`));
  if (fresh.length === 0) return [];
  const postedAt = now();
  await post(
    tx,
    rules.timezone,
    fresh.map((charge) => ({ id: charge.entry_id, memo: charge.name, occurredAt: postedAt, source: "charge", lines: lines(charge, chart) })),
  );
  const inserted = await tx.all(sql<ChargeRow>`
    insert into charge as c (organization_id, id, created_at, updated_at, lease_id, tenant_id, property_id, unit_id, recurring_charge_rule_id, name, charge_type, category_id,
      amount_cents, allocated_cents, credited_cents, balance_cents, due_date, posted_at, period_start, period_end, status, memo, entry_id)
    select ${tx.organizationId}, id, ${postedAt}, ${postedAt}, lease_id, tenant_id, property_id, unit_id, rule_id, name, charge_type, category_id,
      amount, 0, 0, amount, due_date, ${postedAt}, period_start, period_end, 'pending', memo, entry_id
    from jsonb_to_recordset(${JSON.stringify(fresh)}::jsonb) as given (id uuid, lease_id uuid, tenant_id uuid, property_id uuid, unit_id uuid, rule_id uuid, name text, charge_type text,
      category_id uuid, amount bigint, due_date date, period_start date, period_end date, memo text, entry_id uuid)
    returning ${chargeColumns}`);
  await announce(tx, "charge.posted", ...inserted.map(aboutCharge));
  if (inserted.some(({ dueDate }) => dueDate < today(rules.timezone))) await scheduleNow(tx, "announceOverdueCharges");
  if (rules.policies.autoAllocatePayments) await applyCredit(tx, rules, chart, [...new Set(inserted.map(({ leaseId }) => leaseId))]);
  return inserted;
}

/** Serialises the runs that charge the same rules, so that the second sees what the first one posted. */
async function alreadyCharged(tx: StatementRunner, charges: readonly NewCharge[]): Promise<Set<string>> {
  const ruleIds = [...new Set(charges.flatMap(({ rule }) => (rule ? [rule.id] : [])))].sort();
  if (ruleIds.length === 0) return new Set();
  await tx.all(sql`select id from recurring_charge_rule where organization_id = ${tx.organizationId} and id = any(${ruleIds}::uuid[]) order by id for update`);
  const rows = await tx.all(sql<{ ruleId: string; periodStart: string }>`select recurring_charge_rule_id as rule_id, period_start from charge
    where organization_id = ${tx.organizationId} and recurring_charge_rule_id = any(${ruleIds}::uuid[])`);
  return new Set(rows.map(({ ruleId, periodStart }) => `${ruleId} ${periodStart}`));
}

const row = ({ lease, rule, ...charge }: NewCharge, chart: Chart) => ({
  id: newId(),
  entry_id: newId(),
  lease_id: lease.id,
  tenant_id: lease.tenantId,
  property_id: lease.propertyId,
  unit_id: lease.unitId,
  rule_id: rule?.id ?? null,
  period_start: rule?.periodStart ?? null,
  period_end: rule?.periodEnd ?? null,
  name: charge.name,
  charge_type: charge.chargeType,
  category_id: charge.categoryId ?? chart.idOf(accountOfChargeType[charge.chargeType]),
  amount: charge.amountCents,
  due_date: charge.dueDate,
  memo: charge.memo ?? null,
});

function lines(charge: ReturnType<typeof row>, chart: Chart) {
  const subject = { propertyId: charge.property_id, unitId: charge.unit_id, leaseId: charge.lease_id, tenantId: charge.tenant_id, description: charge.name };
  // Only earned, not received: the cash view waits for the payment.
  return [debit(chart.idOf(RECEIVABLE), charge.amount, subject, null), credit(charge.category_id, charge.amount, subject, null)];
}

/** What is told of a charge when it is posted or overdue, to the office and its tenant. */
export const aboutCharge = ({ id, leaseId, tenantId, propertyId, unitId, dueDate }: ChargeRow) => ({
  entityId: id,
  data: { leaseId, tenantId, propertyId, unitId, dueDate },
  audience: { tenantIds: [tenantId] },
});
