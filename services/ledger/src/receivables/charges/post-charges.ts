/** Posting of charges: their rows, journal entries and events, in one transaction. */
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { startOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE, defaultAccountByChargeType } from "../../chart/chart.ts";
import { lockLeasesShared } from "../../projections/lock-leases.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import { latestTakeover } from "../../projections/tenancy.queries.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { firstOpenDay, postEntries, type NewEntry } from "../../journal/posting.ts";
import { chargeLateFeeTerms, lateFeeDay, type ChargeLateFeeTerms } from "../late-fees/late-fee.rules.ts";
import { findReplacedRent, inheritedTerms, replacedRentKey } from "../late-fees/inherit-late-fees.ts";
import { reassignSettledLateFees } from "../late-fees/reassign-settled-late-fees.ts";
import { attachPostedDepositCharges } from "../../trust/security-deposits/attach-deposit-charges.ts";
import { applyCredit } from "../allocations/apply-credit.ts";
import { carryPayments, lockCarriedPayments } from "../allocations/carry-payments.ts";
import { carryCredits } from "../credits/carry-credits.ts";
import { chargeEvents } from "./charge-event.ts";
import { requireNoneCancelled } from "../lease-billing/cancelled-leases.ts";
import { chargeColumns, type ChargeRow } from "./charge.view.ts";
import { findMonthsOfContinuedFees } from "../recurring-charges/continued-fees.queries.ts";
import { findVoidedUnitCharges, supersedeVoidedCharges, type VoidedUnitCharge } from "./voided-unit-charges.ts";

const publish = eventPublisher("ledger");

/** Charge to post. */
export interface NewCharge {
  lease: ProjectedLease;
  amountCents: number;
  dueDate: string;
  chargeType: ChargeRow["chargeType"];
  categoryId?: string | undefined;
  name: string;
  memo?: string | undefined;
  /** Work order whose cost the charge bills. */
  workOrderId?: string;
  /** Expense that the charge bills to the tenant. */
  expenseId?: string;
  /** Refuses the charge in a closed accounting period (409), instead of posting it on the first open day. */
  isDateFixed?: boolean;
  /** Recurring charge and the period it charges. Each period is charged once. */
  rule?: { id: string; periodStart: string; periodEnd: string };
  /** Charge and day that a late fee is for. Each day of a charge has at most one fee of a kind. */
  lateFee?: { chargeId: string; kind: string; dayIndex: number; assessedFor: string };
  /** Late-fee terms of a rent charge that replaces another charge; by default the terms of the lease. */
  lateFeeTerms?: ChargeLateFeeTerms | null;
  /** True for a charge that was imported from another system: it bears no late fees, and is not announced as overdue if it is overdue already. */
  isImported?: boolean;
}

/**
 * Posts charges, each dated its due date, or the first open day if the accounting period of the due date is closed: debits
 * accounts receivable and credits the income account, or the liability for a deposit. Skips periods of recurring charges that are
 * already charged. Carries credits and payments of superseded charges to the new charges of the same months, and then applies the
 * tenants' credit when the organization's policy requires it. Returns the inserted rows, as posted, in input order.
 */
export async function postCharges(tx: OrgTx, settings: LedgerSettings, chart: Chart, charges: readonly NewCharge[]): Promise<ChargeRow[]> {
  await lockCarriedPayments(tx, [...new Set(charges.flatMap(({ rule, lease }) => (rule ? [lease.id] : [])))]);
  const posted = await postUnsettledCharges(tx, settings, chart, charges);
  await reassignSettledLateFees(tx, settings.timezone, posted);
  await carryCredits(tx, settings.timezone, chart, posted);
  await carryPayments(tx, settings.timezone, chart, posted);
  await settleFromCredit(tx, settings, chart, posted);
  return posted;
}

/** Applies the tenants' credit to posted charges when the organization's policy requires it. */
export async function settleFromCredit(tx: OrgTx, settings: LedgerSettings, chart: Chart, posted: readonly ChargeRow[]): Promise<void> {
  if (settings.policies.autoAllocatePayments && posted.length > 0) await applyCredit(tx, settings, chart, [...new Set(posted.map(({ leaseId }) => leaseId))]);
}

/** Posts charges like `postCharges`, but carries and applies nothing, for a caller that does so later itself. */
export async function postUnsettledCharges(tx: OrgTx, settings: LedgerSettings, chart: Chart, requested: readonly NewCharge[]): Promise<ChargeRow[]> {
  if (requested.length === 0) return [];
  const depositLeaseIds = requested.flatMap(({ chargeType, lease }) => (chargeType === "deposit" ? [lease.id] : []));
  // A takeover of the lease by a renewal either waits and finds the deposit, or has committed, so that the renewal holds the deposit.
  if (depositLeaseIds.length > 0) {
    await tx.all(lockLeasesShared(depositLeaseIds));
    await requireNoneCancelled(tx, depositLeaseIds);
  }
  const charges = await withInheritedLateFees(tx, settings, requested);
  const { chargedPeriods, voidedUnitCharges } = await lockRulesAndFindChargedPeriods(tx, charges);
  const findVoided = ({ rule_id, period_start }: { rule_id: string | null; period_start: string | null }) =>
    voidedUnitCharges.get(`${rule_id} ${period_start}`);
  const newRows = charges
    .map((charge) => chargeRow(charge, chart, settings))
    .filter((row) => !chargedPeriods.has(`${row.rule_id} ${row.period_start}`) || findVoided(row)?.leaseIds.includes(row.lease_id) === false);
  if (newRows.length === 0) return [];
  await supersedeVoidedCharges(
    tx,
    newRows.flatMap((row) => findVoided(row)?.id ?? []),
  );
  const postedAt = now();
  await postEntries(
    tx,
    settings.timezone,
    newRows.map((row) => ({ ...chargeEntry(postedCharge(row), settings.timezone, chart), isDateFixed: row.is_date_fixed })),
  );
  // A charge whose entry was moved to the first open day is open from that day on, so it cannot be settled earlier.
  const inserted = await tx.all(sql<ChargeRow>`
    insert into charge as c (organization_id, id, created_at, updated_at, lease_id, tenant_id, property_id, unit_id, recurring_charge_rule_id, name, charge_type, category_id,
      amount_cents, allocated_cents, credited_cents, balance_cents, due_date, posted_at, period_start, period_end, status, memo, entry_id, reopened_on, open_before_reopening_cents,
      late_fee_terms, late_fee_due_on, late_fee_for_charge_id, late_fee_kind, late_fee_day_index, late_fee_assessed_for, work_order_id, expense_id, overdue_announced_at, deposit_lease_id)
    select ${tx.organizationId}, id, ${postedAt}, ${postedAt}, lease_id, tenant_id, property_id, unit_id, rule_id, name, charge_type, category_id,
      amount, 0, 0, amount, due_date, ${postedAt}, period_start, period_end, 'pending', memo, entry_id,
      case when due_date < first_day then first_day end, case when due_date < first_day then 0 end,
      late_fee_terms, late_fee_due_on, late_fee_for_charge_id, late_fee_kind, late_fee_day_index, late_fee_assessed_for, work_order_id, expense_id,
      case when is_imported and due_date < ${today(settings.timezone)} then ${postedAt}::timestamptz end,
      case when charge_type = 'deposit' then ${latestTakeover(tx, sql`input.lease_id`)} end
    from ${firstOpenDay(tx)},
      jsonb_to_recordset(${JSON.stringify(newRows)}::jsonb) as input (id uuid, lease_id uuid, tenant_id uuid, property_id uuid, unit_id uuid, rule_id uuid, name text, charge_type text,
      category_id uuid, amount bigint, due_date date, period_start date, period_end date, memo text, entry_id uuid,
      late_fee_terms jsonb, late_fee_due_on date, late_fee_for_charge_id uuid, late_fee_kind text, late_fee_day_index int, late_fee_assessed_for date, work_order_id uuid, expense_id uuid, is_imported boolean)
    returning ${chargeColumns}`);
  await attachPostedDepositCharges(tx, [...new Set(inserted.flatMap(({ chargeType, leaseId }) => (chargeType === "deposit" ? [leaseId] : [])))]);
  await publish(tx, "charge.posted", ...(await chargeEvents(tx, inserted, ({ dueDate }) => ({ dueDate }))));
  if (newRows.some((row) => row.due_date < today(settings.timezone) && !row.is_imported)) await scheduleNow(tx, "announceOverdueCharges");
  return inserted;
}

/** Sets the late-fee terms of rent that replaces rent of another recurring charge of the tenancy, and requests the assessment of its late fees. */
async function withInheritedLateFees(tx: OrgTx, { policies, timezone }: LedgerSettings, charges: readonly NewCharge[]): Promise<readonly NewCharge[]> {
  // Rent of a whole future month replaces no rent that bears a late fee, but rent of the rest of a month may.
  const mayReplace = ({ periodStart }: { periodStart: string }) => periodStart < today(timezone) || periodStart !== startOfMonth(periodStart);
  const rents = charges.flatMap(({ chargeType, rule, lease, lateFeeTerms }) =>
    chargeType === "rent" && rule && lateFeeTerms === undefined && mayReplace(rule)
      ? [{ ruleId: rule.id, leaseId: lease.id, periodStart: rule.periodStart, periodEnd: rule.periodEnd }]
      : [],
  );
  const replacedRents = await findReplacedRent(tx, rents);
  if (replacedRents.size === 0) return charges;
  await scheduleNow(tx, "postDueCharges");
  return charges.map((charge) => {
    const replaced = charge.rule && replacedRents.get(replacedRentKey(charge.rule.id, charge.rule.periodStart));
    return replaced && charge.lateFeeTerms === undefined ? { ...charge, lateFeeTerms: inheritedTerms(lateFeeTermsOf(charge, policies), replaced) } : charge;
  });
}

/**
 * Locks the recurring charges, so that concurrent postings see each other's charges. Returns the periods charged by them and by the
 * fees that they continue, as `ruleId periodStart`, and their charges on units that the office voided.
 */
async function lockRulesAndFindChargedPeriods(tx: StatementRunner, charges: readonly NewCharge[]) {
  const ruleIds = [...new Set(charges.flatMap(({ rule }) => (rule ? [rule.id] : [])))].sort();
  if (ruleIds.length === 0) return { chargedPeriods: new Set<string>(), voidedUnitCharges: new Map<string, VoidedUnitCharge>() };
  const periodStarts = [...new Set(charges.flatMap(({ rule }) => rule?.periodStart ?? []))];
  const rules = await tx.all(sql<{
    id: string;
    leaseId: string | null;
    continuesRuleId: string | null;
  }>`select id, lease_id, continues_rule_id from recurring_charge_rule
    where organization_id = ${tx.organizationId} and id = any(${ruleIds}::uuid[]) order by id for update`);
  const rows = await tx.all(sql<{ ruleId: string; periodStart: string }>`select recurring_charge_rule_id as rule_id, period_start from charge
    where organization_id = ${tx.organizationId} and recurring_charge_rule_id = any(${ruleIds}::uuid[]) and period_start = any(${periodStarts}::date[])
      and not is_superseded`);
  const continued = await findMonthsOfContinuedFees(
    tx,
    rules.flatMap(({ id, continuesRuleId }) => (continuesRuleId ? [id] : [])),
  );
  const unitRuleIds = rules.flatMap(({ id, leaseId }) => (leaseId ? [] : [id]));
  return {
    chargedPeriods: new Set([
      ...rows.map(({ ruleId, periodStart }) => `${ruleId} ${periodStart}`),
      ...[...continued].flatMap(([ruleId, months]) => months.map((month) => `${ruleId} ${month}`)),
    ]),
    voidedUnitCharges: await findVoidedUnitCharges(tx, unitRuleIds),
  };
}

const chargeRow = ({ lease, rule, lateFee, ...charge }: NewCharge, chart: Chart, { policies }: LedgerSettings) => ({
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
  category_id: charge.categoryId ?? chart.accountId(defaultAccountByChargeType[charge.chargeType]),
  amount: charge.amountCents,
  due_date: charge.dueDate,
  is_date_fixed: charge.isDateFixed ?? false,
  memo: charge.memo ?? null,
  ...scheduledLateFee(lateFeeTermsOf({ lease, ...charge }, policies), charge.dueDate),
  late_fee_for_charge_id: lateFee?.chargeId ?? null,
  late_fee_kind: lateFee?.kind ?? null,
  late_fee_day_index: lateFee?.dayIndex ?? null,
  late_fee_assessed_for: lateFee?.assessedFor ?? null,
  work_order_id: charge.workOrderId ?? null,
  expense_id: charge.expenseId ?? null,
  is_imported: charge.isImported ?? false,
});

const lateFeeTermsOf = ({ lease, chargeType, isImported, lateFeeTerms }: NewCharge, policies: LedgerSettings["policies"]): ChargeLateFeeTerms | null => {
  if (chargeType !== "rent" || isImported) return null;
  return lateFeeTerms === undefined ? chargeLateFeeTerms(lease.lateFeeTerms, policies) : lateFeeTerms;
};

/** Returns the columns of the late-fee terms of a charge. */
const scheduledLateFee = (terms: ChargeLateFeeTerms | null, dueDate: string) => ({
  late_fee_terms: terms,
  late_fee_due_on: terms && lateFeeDay(dueDate, terms),
});

const postedCharge = (row: ReturnType<typeof chargeRow>): PostedCharge => ({
  id: row.id,
  entryId: row.entry_id,
  leaseId: row.lease_id,
  tenantId: row.tenant_id,
  propertyId: row.property_id,
  unitId: row.unit_id,
  name: row.name,
  categoryId: row.category_id,
  amountCents: row.amount,
  dueDate: row.due_date,
});

type PostedCharge = Pick<ChargeRow, "id" | "leaseId" | "tenantId" | "propertyId" | "unitId" | "name" | "categoryId" | "dueDate"> & {
  entryId: string;
  amountCents: number;
};

/** Returns the journal entry of a charge, dated its due date. It has no effect on the cash basis until the charge is paid. */
export function chargeEntry({ id, entryId, name, categoryId, amountCents, dueDate, ...charge }: PostedCharge, timezone: string, chart: Chart): NewEntry {
  const { propertyId, unitId, leaseId, tenantId } = charge;
  const dimensions = { propertyId, unitId, leaseId, tenantId, chargeId: id, description: name };
  return {
    id: entryId,
    memo: name,
    occurredAt: startOfDay(dueDate, timezone),
    entryDate: dueDate,
    source: "charge",
    document: { type: "charge", id },
    lines: [debit(chart.accountId(ACCOUNTS_RECEIVABLE), amountCents, dimensions, null), credit(categoryId, amountCents, dimensions, null)],
  };
}
