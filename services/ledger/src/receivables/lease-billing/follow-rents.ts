/** The rents of a lease as rules: each charges from its first day up to the day before the next one, the last as long as the lease. */
import { today } from "@freehold/kit/time/clock";
import { addDays, minDate, endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import type { BookRules } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { chargeLeases } from "../charges/charging.ts";
import type { LeaseFacts } from "../../projections/copies.ts";
import { prorate } from "../recurring-charges/proration.rules.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { lockRules, move } from "../recurring-charges/recurring-charges.ts";
import { settleLastMonth } from "./last-month.ts";
import { createRule } from "./lease-billing.ts";
import { rentsOf, type Rent } from "./rents.rules.ts";

interface Books {
  rules: BookRules;
  chart: Chart;
  facts: LeaseFacts;
}

/**
 * Has the rent rules of a lease follow it: a rule for each rent, one that was taken back ended, and each with its day of
 * the month and its end. What was charged beyond an end that came nearer goes; what a later one adds to a month that was
 * charged by the day comes.
 */
export async function followRents(tx: OrgTx, books: Books, lease: Lease): Promise<void> {
  const rents = rentsOf(lease);
  const existing = await lockRules(tx, sql`lease_id = ${lease.id} and is_lease_rent`);
  const live = existing.filter(({ status }) => status !== "ended").toSorted((a, b) => (a.startDate < b.startDate ? -1 : 1));
  const last = live.at(-1);
  if (last) {
    const { followedByLeaseId = null, ownEndDate = null } = last;
    const leaseEnd = followedByLeaseId ? (last.endDate ?? null) : (lease.billedUntil ?? null);
    const standing = live.filter((rule) => rents.some(isOf(rule)));
    for (const rule of live) if (!standing.includes(rule)) await takeBack(tx, books, rule);
    const ends = standing.map((rule) => endOf(rents.find(isOf(rule))!, leaseEnd));
    await reviseEnds(tx, books, lease, standing, ends);
    const created = await createMissing(tx, books, lease, existing, leaseEnd);
    if (followedByLeaseId)
      for (const rule of [...standing, ...created]) tx.assign(rule, { followedByLeaseId, ownEndDate: rents.find(isOf(rule))!.until ?? ownEndDate });
    await endReplaced(tx, books, standing, rents);
  } else await createMissing(tx, books, lease, existing, lease.billedUntil ?? null);
}

const isOf =
  ({ rentChangeId = null }: RecurringChargeRule) =>
  ({ changeId }: Rent): boolean =>
    changeId === rentChangeId;

const endOf = ({ until }: Rent, leaseEnd: string | null): string | null => (until && leaseEnd ? minDate(until, leaseEnd) : (until ?? leaseEnd));

/** The rent never was: what was charged for it and is not paid goes. */
async function takeBack(tx: OrgTx, { rules, chart, facts }: Books, rule: RecurringChargeRule): Promise<void> {
  tx.assign(rule, { endDate: addDays(rule.startDate, -1) });
  await settleLastMonth(tx, rules, chart, facts, [rule], "The rent change was taken back.");
  await move(tx, tx.assign(rule, { isLeaseRent: false }), "ended");
}

async function reviseEnds(
  tx: OrgTx,
  { rules, chart, facts }: Books,
  lease: Lease,
  live: readonly RecurringChargeRule[],
  ends: readonly (string | null)[],
): Promise<void> {
  const before = live.map(({ endDate = null }) => endDate);
  for (const [index, rule] of live.entries()) tx.assign(rule, { dayOfMonth: lease.rentChargeDay, endDate: ends[index]! });
  const isNearer = (end: string | null, former: string | null) => end !== null && (former === null || end < former);
  const shortened = live.filter((_, index) => isNearer(ends[index]!, before[index]!));
  const prolonged = live.filter((_, index) => isNearer(before[index]!, ends[index]!));
  if (shortened.length > 0)
    await settleLastMonth(tx, rules, chart, facts, shortened, lease.rentChanges.length > 0 ? "The rent changed." : "The lease ends earlier.");
  for (const rule of prolonged) await chargeRestOfMonth(tx, rules, chart, facts, rule);
}

/** Rules for the rents that have none yet. One that was ended by hand, or never was, goes on as little under another rent. */
async function createMissing(
  tx: OrgTx,
  { rules, chart }: Books,
  lease: Lease,
  existing: readonly RecurringChargeRule[],
  leaseEnd: string | null,
): Promise<RecurringChargeRule[]> {
  if (!lease.createRecurringRent) return [];
  const created: RecurringChargeRule[] = [];
  const [first, ...changes] = rentsOf(lease);
  let before = { cents: first!.cents, rule: existing.find(({ rentChangeId }) => !rentChangeId) };
  for (const rent of changes) {
    let rule = existing.find((each) => isOf(each)(rent));
    const goesOn = before.cents === 0 || (before.rule !== undefined && before.rule.status !== "ended");
    if (!rule && goesOn && rent.cents > 0) created.push((rule = await createRentRule(tx, chart, lease, rent, before.rule, leaseEnd)));
    before = { cents: rent.cents, rule };
  }
  if (created.some(({ startDate }) => startDate <= today(rules.timezone))) await scheduleNow(tx, "postDueCharges");
  return created;
}

async function createRentRule(
  tx: OrgTx,
  chart: Chart,
  lease: Lease,
  rent: Rent,
  before: RecurringChargeRule | undefined,
  leaseEnd: string | null,
): Promise<RecurringChargeRule> {
  const charged = await rentChargedThrough(tx, lease.id);
  return createRule(tx, lease, {
    amountCents: rent.cents as RecurringChargeRule["amountCents"],
    categoryId: before?.categoryId ?? chart.idOf("4000"),
    dayOfMonth: lease.rentChargeDay,
    kind: "rent",
    label: before?.label ?? "Rent",
    status: before?.status ?? "active",
    isLeaseRent: true,
    proratesFirstMonth: true,
    rentChangeId: rent.changeId,
    startDate: rent.from,
    endDate: endOf(rent, leaseEnd),
    // What is skipped under the rent before stays so, and days that were paid for meanwhile are not charged twice.
    postFrom: maxDate(before?.postFrom ?? rent.from, charged && charged >= rent.from ? addDays(charged, 1) : rent.from),
  });
}

/** A rent that another one has replaced by today has ended, once what fell due under it is charged. */
async function endReplaced(tx: OrgTx, { rules, chart, facts }: Books, standing: readonly RecurringChargeRule[], rents: readonly Rent[]): Promise<void> {
  const day = today(rules.timezone);
  const replaced = standing.filter((rule) => (rents.find(isOf(rule))!.until ?? day) < day);
  if (replaced.length === 0) return;
  await settleLastMonth(tx, rules, chart, facts, replaced, "The rent changed.");
  for (const rule of replaced) await move(tx, rule, "ended");
}

/** The last day that the rent of a lease is charged for; null while no charge of it stands. */
export async function rentChargedThrough(db: StatementRunner, leaseId: string): Promise<string | null> {
  const row = await db.first(sql<{ through: string | null }>`select max(c.period_end) as through from charge c
    join recurring_charge_rule r on r.organization_id = c.organization_id and r.id = c.recurring_charge_rule_id
    where c.organization_id = ${db.organizationId} and c.lease_id = ${leaseId} and r.is_lease_rent and c.status <> 'voided'`);
  return row?.through ?? null;
}

/** A rent that goes on after all is owed for the rest of the month that was charged only up to its former end. */
async function chargeRestOfMonth(tx: OrgTx, rules: BookRules, chart: Chart, lease: LeaseFacts, rent: RecurringChargeRule): Promise<void> {
  const last = await tx.first(sql<{ periodEnd: string }>`select period_end from charge
    where organization_id = ${tx.organizationId} and recurring_charge_rule_id = ${rent.id} and status <> 'voided' order by period_end desc limit 1`);
  if (!last || last.periodEnd === endOfMonth(last.periodEnd)) return;
  const periodStart = addDays(last.periodEnd, 1);
  const periodEnd = rent.endDate ? minDate(rent.endDate, endOfMonth(periodStart)) : endOfMonth(periodStart);
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
