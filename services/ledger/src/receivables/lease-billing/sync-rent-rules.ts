/**
 * Synchronization of a lease's recurring rent with its rent schedule: one recurring charge per step, each from the first day
 * of its step to the day before the next one, the last until the end of the lease.
 */
import { today } from "@freehold/kit/time/clock";
import { addDays, minDate, maxDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { RENT_INCOME } from "../../chart/chart.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { postCharges } from "../charges/post-charges.ts";
import { endDatesOf, findPosted, publishMovedEnds } from "../recurring-charges/split-rule.ts";
import { chargeDayChange } from "../recurring-charges/charge-day.rules.ts";
import { ruleTerms } from "../recurring-charges/recurring-charge.rules.ts";
import { lockRecurringCharges, transitionRecurringCharge } from "../recurring-charges/recurring-charges.ts";
import { createLeaseRule } from "./lease-billing.ts";
import { rebillRules } from "./rebill-rules.ts";
import { rentSchedule, type RentStep } from "./rent-schedule.rules.ts";

interface BillingContext {
  settings: LedgerSettings;
  chart: Chart;
  projectedLease: ProjectedLease;
  /** True if rent, start, tenant or unit changed before the start of the lease. */
  comparesTerms: boolean;
}

/**
 * Brings the rent rules of a lease in line with its rent schedule: creates missing rules, ends those of deleted rent changes
 * and revises day of month and end dates. Charges are rebilled for the days between the previous and the new end date, and
 * before the start of the lease for all of its changed terms.
 */
export async function syncRentRules(tx: OrgTx, context: BillingContext, lease: Lease): Promise<void> {
  const schedule = rentSchedule(lease);
  const existing = (await lockRecurringCharges(tx, sql`lease_id = ${lease.id} and is_lease_rent`)).toSorted(byStart);
  const former = existing.map(formerTerms);
  const open = existing.filter(({ status }) => status !== "ended");
  const { followedByLeaseId = null, ownEndDate = null, endDate: lastEndDate = null } = open.at(-1) ?? {};
  const leaseEnd = followedByLeaseId ? lastEndDate : (lease.billedUntil ?? null);
  for (const rule of existing) if (!findStep(schedule, rule)) await endUnscheduledRule(tx, context, rule);
  const scheduled = open.filter((rule) => findStep(schedule, rule) !== undefined);
  await shortenEndedRules(tx, context, schedule, existing);
  const endDates = scheduled.map((rule) => earlierEnd(findStep(schedule, rule)!.endDate, leaseEnd));
  await reviseEndDates(tx, context, schedule, scheduled, lease.rentChargeDay, endDates);
  const created = await createMissingRules(tx, context, lease, { existing, former }, leaseEnd);
  if (followedByLeaseId)
    for (const rule of [...scheduled, ...created]) tx.assign(rule, { followedByLeaseId, ownEndDate: findStep(schedule, rule)!.endDate ?? ownEndDate });
  await endPastRules(tx, context, scheduled, schedule);
}

type FormerRule = Pick<RecurringChargeRule, "startDate" | "status" | "postFrom" | "label" | "categoryId">;

const formerTerms = ({ startDate, status, postFrom, label, categoryId }: RecurringChargeRule): FormerRule => ({
  startDate,
  status,
  postFrom,
  label,
  categoryId,
});
const byStart = (one: RecurringChargeRule, other: RecurringChargeRule): number => (one.startDate < other.startDate ? -1 : 1);

const isOfStep = ({ rentChangeId = null }: RecurringChargeRule, step: RentStep): boolean => step.rentChangeId === rentChangeId;
const findStep = (schedule: readonly RentStep[], rule: RecurringChargeRule): RentStep | undefined => schedule.find((step) => isOfStep(rule, step));

/** Returns the earlier of two end dates, of which null means no end. */
const earlierEnd = (one: string | null, other: string | null): string | null => (one && other ? minDate(one, other) : (one ?? other));

/** Ends the rule of a deleted rent change as if it had never been charged: its charges are voided, and their payments become credit. */
async function endUnscheduledRule(tx: OrgTx, context: BillingContext, rule: RecurringChargeRule): Promise<void> {
  tx.assign(rule, { endDate: addDays(rule.startDate, -1) });
  await rebillRules(tx, { ...context, voidReason: "The rent change was deleted." }, [rule]);
  tx.assign(rule, { isLeaseRent: false });
  if (rule.status !== "ended") await transitionRecurringCharge(tx, rule, "ended");
}

/** Ends rules that have ended before an earlier day, from which a rent change that was recorded later charges its own rent. */
async function shortenEndedRules(tx: OrgTx, context: BillingContext, schedule: readonly RentStep[], rules: readonly RecurringChargeRule[]): Promise<void> {
  for (const rule of rules) {
    const lastDay = findStep(schedule, rule)?.endDate;
    if (rule.status !== "ended" || !lastDay || (rule.endDate && rule.endDate <= lastDay)) continue;
    tx.assign(rule, { endDate: lastDay });
    await rebillRules(tx, { ...context, voidReason: "The rent changed.", replacesVoided: true }, [rule]);
  }
}

async function reviseEndDates(
  tx: OrgTx,
  context: BillingContext,
  schedule: readonly RentStep[],
  rules: readonly RecurringChargeRule[],
  dayOfMonth: number,
  endDates: readonly (string | null)[],
): Promise<void> {
  const previousEndDates = endDatesOf(rules);
  for (const [index, rule] of rules.entries()) {
    tx.assign(rule, { endDate: endDates[index]! });
    if (rule.dayOfMonth !== dayOfMonth) await changeChargeDay(tx, context, rule, dayOfMonth);
  }
  await publishMovedEnds(tx, rules, previousEndDates);
  const moved = rules.filter(({ id }, index) => endDates[index] !== previousEndDates.get(id));
  const endedByRentChange = moved.filter((rule) => rule.endDate !== null && rule.endDate === findStep(schedule, rule)!.endDate);
  const others = (context.comparesTerms ? rules : moved).filter((rule) => !endedByRentChange.includes(rule));
  if (endedByRentChange.length > 0) await rebillRules(tx, { ...context, voidReason: "The rent changed.", replacesVoided: true }, endedByRentChange);
  if (others.length > 0) await rebillRules(tx, { ...context, voidReason: "The term of the lease changed." }, others);
}

/** Changes the charge day of a locked rule. Rent due today or later that would be due before today by the new day is posted first. */
async function changeChargeDay(tx: OrgTx, { settings, chart, projectedLease }: BillingContext, rule: RecurringChargeRule, dayOfMonth: number): Promise<void> {
  const { timezone, policies } = settings;
  const { chargedPeriods } = await findPosted(tx, rule.id);
  const options = { method: policies.prorationMethod, today: today(timezone), isActive: rule.status === "active" };
  const { postFrom, chargedFirst } = chargeDayChange(ruleTerms(rule), dayOfMonth, chargedPeriods, options);
  tx.assign(rule, { dayOfMonth, postFrom });
  if (!chargedFirst) return;
  const { amountCents, dueDate, ...period } = chargedFirst;
  const { id, categoryId, kind: chargeType, label: name } = rule;
  await tx.flush();
  await postCharges(tx, settings, chart, [{ lease: projectedLease, amountCents, dueDate, chargeType, categoryId, name, rule: { id, ...period } }]);
}

/** Rent rules of a lease, and the terms that they had before their schedule changed. */
interface RentRules {
  existing: readonly RecurringChargeRule[];
  /** In the order of their start dates. */
  former: readonly FormerRule[];
}

/** Creates the rules of rent changes that have none yet. A change gets no rule when the rent before it never had one. */
async function createMissingRules(
  tx: OrgTx,
  { settings, chart }: BillingContext,
  lease: Lease,
  { existing, former }: RentRules,
  leaseEnd: string | null,
): Promise<RecurringChargeRule[]> {
  if (!lease.createRecurringRent) return [];
  const created: RecurringChargeRule[] = [];
  const [initial, ...changes] = rentSchedule(lease);
  let previous = { rentCents: initial!.rentCents, rule: existing.find(({ rentChangeId }) => !rentChangeId) };
  for (const step of changes) {
    let rule = existing.find((candidate) => isOfStep(candidate, step));
    const isContinued = previous.rentCents === 0 || previous.rule !== undefined;
    if (!rule && isContinued && step.rentCents > 0) created.push((rule = await createStepRule(tx, chart, lease, step, continuedTerms(former, step), leaseEnd)));
    previous = { rentCents: step.rentCents, rule };
  }
  if (created.some(({ startDate }) => startDate <= today(settings.timezone))) await scheduleNow(tx, "postDueCharges");
  return created;
}

/**
 * Returns the terms of the rule that has charged the first day of a step until now, which may be that of a rent change that the step replaces. A rule
 * that has ended has the status of the rent that follows.
 */
function continuedTerms(former: readonly FormerRule[], { startDate }: RentStep): FormerRule | undefined {
  const rule = former.findLast((candidate) => candidate.startDate <= startDate);
  if (rule?.status !== "ended") return rule;
  const following = former.find((candidate) => candidate.startDate > startDate && candidate.status !== "ended");
  return { ...rule, status: following?.status ?? "active" };
}

async function createStepRule(
  tx: OrgTx,
  chart: Chart,
  lease: Lease,
  step: RentStep,
  continued: FormerRule | undefined,
  leaseEnd: string | null,
): Promise<RecurringChargeRule> {
  const chargedThrough = await getRentChargedThrough(tx, lease.id, step.endDate);
  return createLeaseRule(tx, lease, {
    amountCents: step.rentCents as RecurringChargeRule["amountCents"],
    categoryId: continued?.categoryId ?? chart.accountId(RENT_INCOME),
    dayOfMonth: lease.rentChargeDay,
    kind: "rent",
    label: continued?.label ?? "Rent",
    status: continued?.status ?? "active",
    isLeaseRent: true,
    proratesFirstMonth: true,
    rentChangeId: step.rentChangeId,
    startDate: step.startDate,
    endDate: earlierEnd(step.endDate, leaseEnd),
    // Periods that the rent before skips stay skipped, and days that are already charged are not charged twice.
    postFrom: maxDate(continued?.postFrom ?? step.startDate, chargedThrough && chargedThrough >= step.startDate ? addDays(chargedThrough, 1) : step.startDate),
  });
}

/** Ends the rules whose step is over, after posting their due periods. */
async function endPastRules(tx: OrgTx, context: BillingContext, rules: readonly RecurringChargeRule[], schedule: readonly RentStep[]): Promise<void> {
  const day = today(context.settings.timezone);
  const past = rules.filter((rule) => (findStep(schedule, rule)!.endDate ?? day) < day);
  if (past.length === 0) return;
  await rebillRules(tx, { ...context, voidReason: "The rent changed." }, past);
  for (const rule of past) await transitionRecurringCharge(tx, rule, "ended");
}

/** Returns the last day covered by a rent charge of the lease that is not voided, and begins by a last day, if given; or null without one. */
export async function getRentChargedThrough(db: StatementRunner, leaseId: string, lastDay: string | null = null): Promise<string | null> {
  const row = await db.first(sql<{ through: string | null }>`select max(c.period_end) as through from charge c
    join recurring_charge_rule r on r.organization_id = c.organization_id and r.id = c.recurring_charge_rule_id
    where c.organization_id = ${db.organizationId} and c.lease_id = ${leaseId} and r.is_lease_rent and c.status <> 'voided'
      and (${lastDay}::date is null or c.period_start <= ${lastDay}::date)`);
  return row?.through ?? null;
}
