/** What the start of a lease means for the books. Portfolio asks for it, of many leases at once when many start, and the event of each asks again. */
import { today } from "@freehold/kit/time/clock";
import { startOfMonth, endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { rulesOf, type BookRules } from "../../settings/ledger-settings.ts";
import { chartOf, type Chart } from "../../chart/categories.ts";
import { chargeLeases } from "../charges/charging.ts";
import type { Clients } from "../../clients.ts";
import { findLeases, keepLeases, type LeaseFacts } from "../../projections/copies.ts";
import { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { duePeriods, termsOf } from "../recurring-charges/recurring-charge.rules.ts";
import { lockRules, move } from "../recurring-charges/recurring-charges.ts";
import { endRulesBefore } from "./followed-rules.ts";
import { billedFrom, createRentRule, lockLeases, markFirst, readBillings } from "./lease-billing.ts";

interface Start {
  lease: Lease;
  chargeProration: boolean;
}

/** Starts charging a lease: its rules are active, and the first month is charged when the lease has begun in the middle of it. */
export const startLeaseBilling = async (db: OrgDb, clients: Clients, lease: Lease, chargeProration: boolean): Promise<LeaseBilling> =>
  (await startLeaseBillings(db, clients, [{ lease, chargeProration }]))[0]!;

/** Starts charging leases, all of them or none, and answers in their order. Asked for twice, as by requests that are one and the same, a lease starts once. */
export async function startLeaseBillings(db: OrgDb, clients: Clients, asked: readonly Start[]): Promise<LeaseBilling[]> {
  const starts = [...new Map(asked.map((start) => [start.lease.id, start])).values()];
  const leases = starts.map(({ lease }) => lease);
  const ids = leases.map(({ id }) => id);
  await keepLeases(db, clients.portfolio, leases);
  const [chart, rules, facts] = await Promise.all([chartOf(db), rulesOf(db), findLeases(db, clients.portfolio, ids)]);
  const firstMonths = await transaction(db, async (tx) => {
    await lockLeases(tx, ids);
    for (const lease of leases) if (lease.renewedFromLeaseId) await endRulesBefore(tx, lease.renewedFromLeaseId, lease);
    const existing = Map.groupBy(await lockRules(tx, sql`lease_id = any(${ids}::uuid[])`), ({ leaseId }) => leaseId);
    const isFirst = await markFirst(tx, ids, "billing_started_at");
    const charged: string[] = [];
    for (const start of starts) {
      const { id } = start.lease;
      const rent = await startRules(tx, chart, start, existing.get(id) ?? [], isFirst.has(id));
      if (rent) charged.push(...(await chargeFirstMonth(tx, rules, chart, facts.get(id)!, rent)));
    }
    return charged;
  });
  return readBillings(
    db,
    asked.map(({ lease }) => lease.id),
    firstMonths,
  );
}

/** Activates the drafts among the rules of a lease, and answers its rent. Asked again, it activates nothing: a draft that came later is somebody's own. */
async function startRules(
  tx: OrgTx,
  chart: Chart,
  { lease, chargeProration }: Start,
  existing: readonly RecurringChargeRule[],
  isFirst: boolean,
): Promise<RecurringChargeRule | undefined> {
  const prorateFirstMonth = lease.prorateFirstMonth && chargeProration;
  for (const rule of isFirst ? existing.filter(({ status }) => status === "draft") : []) {
    tx.assign(rule, {
      startDate: rule.isLeaseRent ? lease.startDate : maxDate(rule.startDate, lease.startDate),
      postFrom: billedFrom(lease),
      proratesFirstMonth: rule.isLeaseRent && prorateFirstMonth,
    });
    await move(tx, rule, "active");
  }
  return existing.find(({ isLeaseRent, rentChangeId }) => isLeaseRent && !rentChangeId) ?? createRentRule(tx, chart, { ...lease, prorateFirstMonth }, "active");
}

/**
 * Those of the leases whose billing was not started yet when they had the status that is told of: starting it again would
 * change nothing. A lease that waited for its first day is started once more on it.
 */
export async function withoutBilling(db: StatementRunner, told: readonly { entityId: string; data: { status: string } }[]): Promise<string[]> {
  const given = JSON.stringify(told.map(({ entityId, data }) => ({ id: entityId, status: data.status })));
  const rows = await db.all(sql<{ id: string }>`select distinct given.id from jsonb_to_recordset(${given}::jsonb) as given (id uuid, status text)
    left join lateral (select true as is_started from lease_copy one where one.organization_id = ${db.organizationId} and one.id = given.id
      and one.billing_started_at is not null and one.status = given.status limit 1) started on true
    where started.is_started is null`);
  return rows.map(({ id }) => id);
}

async function chargeFirstMonth(tx: OrgTx, rules: BookRules, chart: Chart, lease: LeaseFacts, rent: RecurringChargeRule): Promise<string[]> {
  const { timezone, policies } = rules;
  const isPartial = rent.startDate !== startOfMonth(rent.startDate);
  if (!rent.proratesFirstMonth || !isPartial || rent.startDate > today(timezone)) return [];
  const [first] = duePeriods(termsOf(rent), endOfMonth(rent.startDate), policies.prorationMethod);
  if (!first) return [];
  const { periodStart, periodEnd, dueDate, amountCents } = first;
  await chargeLeases(tx, rules, chart, [
    {
      lease,
      amountCents,
      dueDate,
      chargeType: "rent",
      categoryId: rent.categoryId,
      name: "Rent, first month by the day",
      rule: { id: rent.id, periodStart, periodEnd },
    },
  ]);
  const rows = await tx.all(
    sql<{
      id: string;
    }>`select id from charge where organization_id = ${tx.organizationId} and recurring_charge_rule_id = ${rent.id} and period_start = ${periodStart}`,
  );
  return rows.map(({ id }) => id);
}
