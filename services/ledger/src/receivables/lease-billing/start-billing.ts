/** Start of billing for activated leases. Portfolio requests it over gRPC, and the `lease.activated` event repeats the request. */
import { createTurns } from "@freehold/kit/jobs/in-turn";
import { now, today } from "@freehold/kit/time/clock";
import { startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import { postCharges } from "../charges/post-charges.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases, saveLeases, type ProjectedLease } from "../../projections/projections.ts";
import { lockLeases } from "../../projections/lock-leases.ts";
import { followLeases } from "../../trust/security-deposits/deposit-holders.ts";
import { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { takeOverMoney } from "../credit-holders/renewal-takeover.ts";
import { duePeriods, ruleTerms } from "../recurring-charges/recurring-charge.rules.ts";
import { transitionRecurringCharge } from "../recurring-charges/recurring-charges.ts";
import { lockRulesWithCharges, ofLeasesOrTheirUnits } from "./lock-billing.ts";
import { endPredecessorRules } from "./predecessor-rules.ts";
import { continueLeftOutFees, prepareLeaseBilling } from "./prepare-billing.ts";
import { initialRentCents } from "./rent-schedule.rules.ts";
import { findMovedStarts, reviseLeaseBilling } from "./revise-billing.ts";
import { billingStartDate, createInitialRentRules, type CreatedRule, feeStart, getLeaseBillings } from "./lease-billing.ts";

type InitialRent = RecurringChargeRule | CreatedRule;

interface BillingStart {
  lease: Lease;
  /** False to charge a partial first month in full. */
  chargeProration: boolean;
}

/** Starts the billing of one lease, see `startLeaseBillings`. */
export const startLeaseBilling = async (db: OrgDb, clients: Clients, lease: Lease, chargeProration: boolean): Promise<LeaseBilling> =>
  (await startLeaseBillings(db, clients, [{ lease, chargeProration }]))[0]!;

/**
 * Starts the billing of leases, all or none: ends the billing of the leases that they renew, activates or creates their recurring charges
 * and charges a partial first month that has begun. First, and each in a transaction of its own, the recurring charges of a pending lease
 * that starts on another day than agreed move to that day, a renewal without recurring charges gets them, and a renewal that has begun takes over
 * credit and deposits. Returns the billings in input order. Idempotent per lease, also within one call.
 */
export async function startLeaseBillings(db: OrgDb, clients: Clients, requested: readonly BillingStart[]): Promise<LeaseBilling[]> {
  const { startedIds, endedIds } = await findBillingSteps(
    db,
    requested.map(({ lease }) => lease.id),
  );
  // An activation that arrives after the termination must not start the billing again.
  const starts = [...new Map(requested.map((start) => [start.lease.id, start])).values()].filter(({ lease }) => !endedIds.has(lease.id));
  const leases = starts.map(({ lease }) => lease);
  const ids = leases.map(({ id }) => id);
  const predecessorIds = leases.flatMap(({ renewedFromLeaseId }) => renewedFromLeaseId ?? []);
  for (const lease of await findMovedStarts(db, leases)) await reviseLeaseBilling(db, clients, lease);
  // The ledger may have been unavailable when the renewal was drafted, and its event may arrive later.
  for (const lease of leases) if (lease.renewedFromLeaseId && !startedIds.has(lease.id)) await prepareLeaseBilling(db, clients, lease);
  await saveLeases(db, clients.portfolio, leases);
  const [chart, settings, projectedLeases] = await Promise.all([
    getChart(db),
    getLedgerSettings(db),
    findProjectedLeases(db, clients.portfolio, [...ids, ...predecessorIds]),
  ]);
  // Before the rebilling, because money that it releases becomes credit of the lease that then holds the credit.
  for (const { id, startDate, status, renewedFromLeaseId } of leases)
    if (status !== "pending" && renewedFromLeaseId) await takeOverMoney(db, settings.timezone, chart, { id, startDate, renewedFromLeaseId });
  const firstMonthChargeIds = await transaction(db, async (tx) => {
    await lockLeases(tx, [...ids, ...predecessorIds]);
    const rules = await lockRulesWithCharges(tx, ofLeasesOrTheirUnits(tx, [...ids, ...predecessorIds]));
    const rulesByLease = Map.groupBy(rules, ({ leaseId }) => leaseId);
    for (const lease of leases) {
      const projectedLease = projectedLeases.get(lease.renewedFromLeaseId ?? "");
      if (!projectedLease) continue;
      await endPredecessorRules(tx, { settings, chart, projectedLease }, lease, rules);
      await continueLeftOutFees(tx, lease, rules);
    }
    const newlyStarted = await markStarted(tx, leases);
    const rentRules = await activateRules(tx, chart, starts, rulesByLease, newlyStarted);
    const chargeIds: string[] = [];
    for (const id of ids) {
      const rentRule = rentRules.get(id);
      if (rentRule) chargeIds.push(...(await chargePartialFirstMonth(tx, settings, chart, projectedLeases.get(id)!, rentRule)));
    }
    await followLeases(tx, ids);
    return chargeIds;
  });
  return getLeaseBillings(
    db,
    requested.map(({ lease }) => lease.id),
    firstMonthChargeIds,
  );
}

/**
 * Activates the draft recurring charges of leases and returns their initial rents by lease, which are created if missing. Paused fees that a
 * renewal took over stay paused. A repeated start activates none, because drafts created after the first start are activated by the office.
 */
async function activateRules(
  tx: OrgTx,
  chart: Chart,
  starts: readonly BillingStart[],
  rulesByLease: ReadonlyMap<string | null | undefined, readonly RecurringChargeRule[]>,
  newlyStarted: ReadonlySet<string>,
): Promise<Map<string, InitialRent>> {
  const initialRents = new Map<string, InitialRent>();
  const missing: Lease[] = [];
  for (const { lease, chargeProration } of starts) {
    const rules = rulesByLease.get(lease.id) ?? [];
    const prorateFirstMonth = lease.prorateFirstMonth && chargeProration;
    const findInitialRent = () => rules.find(({ isLeaseRent, rentChangeId }) => isLeaseRent && !rentChangeId);
    const drafted = newlyStarted.has(lease.id) ? findInitialRent() : undefined;
    if (drafted?.status === "draft") await followDraftedRent(tx, drafted, lease);
    for (const rule of newlyStarted.has(lease.id) ? rules : []) await activateRule(tx, lease, rule, prorateFirstMonth);
    const initialRent = findInitialRent();
    if (initialRent) initialRents.set(lease.id, initialRent);
    else missing.push({ ...lease, prorateFirstMonth });
  }
  return new Map([...initialRents, ...(await createInitialRentRules(tx, chart, missing))]);
}

/** Gives a draft or paused recurring charge the first days of its lease, and activates a draft. */
async function activateRule(tx: OrgTx, lease: Lease, rule: RecurringChargeRule, prorateFirstMonth: boolean): Promise<void> {
  if (rule.status !== "draft" && rule.status !== "paused") return;
  tx.assign(rule, {
    startDate: rule.isLeaseRent ? lease.startDate : feeStart(rule, lease),
    postFrom: billingStartDate(lease),
    proratesFirstMonth: rule.isRentPart || (rule.isLeaseRent && prorateFirstMonth),
  });
  if (rule.status === "draft") await transitionRecurringCharge(tx, rule, "active");
}

/** Gives the drafted rent of a lease the amount of the lease, which may have changed together with its activation. Without a rent to charge it is ended. */
async function followDraftedRent(tx: OrgTx, rule: RecurringChargeRule, lease: Lease): Promise<void> {
  const rentCents = initialRentCents(lease);
  if (lease.createRecurringRent && rentCents > 0) tx.assign(rule, { amountCents: rentCents as RecurringChargeRule["amountCents"] });
  else await transitionRecurringCharge(tx, tx.assign(rule, { isLeaseRent: false }), "ended");
}

/** Returns those leases whose billing has started, and those whose billing has ended. */
async function findBillingSteps(db: StatementRunner, leaseIds: readonly string[]): Promise<{ startedIds: Set<string>; endedIds: Set<string> }> {
  const rows = await db.all(sql<{ id: string; hasStarted: boolean; hasEnded: boolean }>`
    select id, billing_started_at is not null as has_started, billing_ended_at is not null as has_ended from lease_copy
    where organization_id = ${db.organizationId} and id = any(${[...leaseIds]}::uuid[])`);
  const idsOf = (steps: typeof rows) => new Set(steps.map(({ id }) => id));
  return { startedIds: idsOf(rows.filter(({ hasStarted }) => hasStarted)), endedIds: idsOf(rows.filter(({ hasEnded }) => hasEnded)) };
}

/**
 * Returns the activated leases whose billing must be started: those not started yet, and those started with another status. A lease
 * activated before its start date is started again on that date.
 */
export async function findUnstartedBillings(db: StatementRunner, activations: readonly { id: string; status: string }[]): Promise<string[]> {
  const rows = await db.all(sql<{
    id: string;
  }>`select distinct input.id from jsonb_to_recordset(${JSON.stringify(activations)}::jsonb) as input (id uuid, status text)
    left join lateral (select true as is_started from lease_copy lease where lease.organization_id = ${db.organizationId} and lease.id = input.id
      and lease.billing_started_as = input.status limit 1) started on true
    where started.is_started is null`);
  return rows.map(({ id }) => id);
}

/** Turns of an organization's starts of imported billings. */
const inTurnOfImports = createTurns();

/**
 * Starts the billing of imported leases, once: portfolio requests it when it has inserted them, and their event, in case the ledger was unavailable,
 * arrives at the same time. So the starts of an organization take turns, and the second finds nothing to do. `read` returns the leases of ids.
 */
export const startImportedBillings = (db: OrgDb, clients: Clients, ids: readonly string[], read: (ids: readonly string[]) => Promise<Lease[]>): Promise<void> =>
  inTurnOfImports([db.organizationId], async () => startUnstarted(db, clients, await read(await findUnstartedImports(db, ids))));

/** Returns the leases whose billing was not started, with any status. */
async function findUnstartedImports(db: StatementRunner, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select input.id from unnest(${[...ids]}::uuid[]) as input (id)
    left join lateral (select true as is_started from lease_copy lease where lease.organization_id = ${db.organizationId} and lease.id = input.id
      and lease.billing_started_as is not null limit 1) started on true
    where started.is_started is null`);
  return rows.map(({ id }) => id);
}

/** Saves leases, and starts the billing of the active and pending ones. */
async function startUnstarted(db: OrgDb, clients: Clients, leases: readonly Lease[]): Promise<void> {
  const isActivated = ({ status }: Lease) => status === "active" || status === "pending";
  const others = leases.filter((lease) => !isActivated(lease));
  if (others.length > 0) await saveLeases(db, clients.portfolio, others);
  const starts = leases.filter(isActivated).map((lease) => ({ lease, chargeProration: true }));
  if (starts.length > 0) await startLeaseBillings(db, clients, starts);
}

/**
 * Marks the billing of leases as started, with their status, because the projection may have that status before the start of billing. Returns the ids
 * of the leases whose billing was not started before.
 */
async function markStarted(tx: OrgTx, leases: readonly Lease[]): Promise<Set<string>> {
  const ids = leases.map(({ id }) => id);
  const rows = await tx.all(sql<{ id: string }>`with unstarted as materialized (select id from lease_copy
      where organization_id = ${tx.organizationId} and id = any(${ids}::uuid[]) and billing_started_at is null),
    marked as (update lease_copy set billing_started_at = coalesce(billing_started_at, ${now()}), billing_started_as = input.status
      from unnest(${ids}::uuid[], ${leases.map(({ status }) => status)}::text[]) as input (id, status)
      where organization_id = ${tx.organizationId} and lease_copy.id = any(${ids}::uuid[]) and lease_copy.id = input.id)
    select id from unstarted`);
  return new Set(rows.map(({ id }) => id));
}

/** Charges the first month of a prorated rent that starts after the first of a month. Returns the id of that charge, also when it was posted before. */
async function chargePartialFirstMonth(tx: OrgTx, settings: LedgerSettings, chart: Chart, lease: ProjectedLease, rentRule: InitialRent): Promise<string[]> {
  const { timezone, policies } = settings;
  const isPartial = rentRule.startDate !== startOfMonth(rentRule.startDate);
  if (!rentRule.proratesFirstMonth || !isPartial || rentRule.startDate > today(timezone)) return [];
  const [first] = duePeriods(ruleTerms(rentRule), endOfMonth(rentRule.startDate), policies.prorationMethod);
  if (!first) return [];
  const { periodStart, periodEnd, dueDate, amountCents } = first;
  await postCharges(tx, settings, chart, [
    {
      lease,
      amountCents,
      dueDate,
      chargeType: "rent",
      categoryId: rentRule.categoryId,
      name: "Rent, prorated first month",
      rule: { id: rentRule.id, periodStart, periodEnd },
    },
  ]);
  const rows = await tx.all(
    sql<{
      id: string;
    }>`select id from charge where organization_id = ${tx.organizationId} and recurring_charge_rule_id = ${rentRule.id} and period_start = ${periodStart} and not is_superseded`,
  );
  return rows.map(({ id }) => id);
}
