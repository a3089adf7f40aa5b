/**
 * What a lease means for the books: its rent rule begins with the lease and ends with it. Portfolio asks for it after a
 * lease has changed, and the event of that change asks again, so each step may be repeated without a second effect.
 */
import { now, today } from "@freehold/kit/time/clock";
import { addDays, minDate, startOfMonth, endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { rulesOf } from "../../settings/ledger-settings.ts";
import { chartOf, type Chart } from "../../chart/categories.ts";
import { chargeColumns, chargeView, type ChargeRow } from "../charges/charge.view.ts";
import { chargeLeases } from "../charges/charging.ts";
import type { Clients } from "../../clients.ts";
import { findLeases, keepLeases } from "../../projections/copies.ts";
import { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { lockRules, move } from "../recurring-charges/recurring-charges.ts";
import { recurringChargeView, ruleColumns, type RuleRow } from "../recurring-charges/recurring-charge.view.ts";
import { settleLastMonth } from "./last-month.ts";
import { firstRent } from "./rents.rules.ts";

const announce = eventPublisher("ledger");
export type FinalRent = "prorate" | "full" | "none";

/** Draft rules for a lease that follows another: its rent, and the fees of the lease before it. */
export async function prepareLeaseBilling(db: OrgDb, clients: Clients, lease: Lease): Promise<LeaseBilling> {
  await keepLeases(db, clients.portfolio, [lease]);
  const chart = await chartOf(db);
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    if ((await tx.find(RecurringChargeRule, { leaseId: lease.id })).length > 0) return;
    await createRentRule(tx, chart, lease, "draft");
    const before = lease.renewedFromLeaseId
      ? await tx.find(RecurringChargeRule, { leaseId: lease.renewedFromLeaseId, isLeaseRent: false, status: "active" })
      : [];
    for (const { amountCents, categoryId, dayOfMonth, kind, label } of before) {
      await createRule(tx, lease, { amountCents, categoryId, dayOfMonth, kind, label, status: "draft", isLeaseRent: false, proratesFirstMonth: false });
    }
  });
  return readBilling(db, lease.id, []);
}

/** Ends charging a lease on a day, and settles the month of that day as asked. */
export async function endLeaseBilling(
  db: OrgDb,
  clients: Clients,
  lease: Lease,
  terms: { terminationDate: string; finalRent: FinalRent; terminationFeeCents?: number | undefined },
): Promise<LeaseBilling> {
  await keepLeases(db, clients.portfolio, [lease]);
  const [chart, rules, facts] = await Promise.all([chartOf(db), rulesOf(db), findLeases(db, clients.portfolio, [lease.id])]);
  const { terminationDate, terminationFeeCents: amountCents } = terms;
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    if ((await markFirst(tx, [lease.id], "billing_ended_at")).size === 0) return;
    // Those of a lease that ran out have ended, and may have charged for days after the termination all the same.
    const every = await lockRules(tx, sql`lease_id = ${lease.id}`);
    for (const rule of every) {
      const lastDay = rule.isLeaseRent ? lastDayOfRent(terms) : terminationDate;
      tx.assign(rule, { endDate: rule.endDate ? minDate(rule.endDate, lastDay) : lastDay });
    }
    await settleLastMonth(tx, rules, chart, facts.get(lease.id)!, every, "The lease was terminated.");
    const live = every.filter(({ status }) => status !== "ended");
    const isOver = ({ status, startDate, endDate }: RecurringChargeRule) => status === "draft" || endDate! < maxDate(today(rules.timezone), startDate);
    for (const rule of live.filter(isOver)) await move(tx, rule, "ended");
    if (amountCents)
      await chargeLeases(tx, rules, chart, [
        { lease: facts.get(lease.id)!, amountCents, dueDate: terminationDate, chargeType: "fee", name: "Termination fee" },
      ]);
  });
  return readBilling(db, lease.id, await chargedSinceEnd(db, lease.id));
}

const lastDayOfRent = ({ terminationDate, finalRent }: { terminationDate: string; finalRent: FinalRent }): string =>
  ({ prorate: terminationDate, full: endOfMonth(terminationDate), none: addDays(startOfMonth(terminationDate), -1) })[finalRent];

/** Marks a step in the billing of leases as taken, and answers those where it was not before. */
export async function markFirst(tx: OrgTx, leaseIds: readonly string[], step: "billing_started_at" | "billing_ended_at"): Promise<Set<string>> {
  const marked = await tx.all(sql<{ id: string }>`update lease_copy set ${sql.ref(step)} = ${now()}
    where organization_id = ${tx.organizationId} and id = any(${[...leaseIds]}::uuid[]) and ${sql.ref(step)} is null returning id`);
  return new Set(marked.map(({ id }) => id));
}

/** What the end of a lease charged, the same for whoever asks second. */
async function chargedSinceEnd(db: OrgDb, leaseId: string): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select c.id from charge c join lease_copy l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${db.organizationId} and c.lease_id = ${leaseId} and c.created_at >= l.billing_ended_at`);
  return rows.map(({ id }) => id);
}

/** One billing change of a lease at a time, whether the caller or the event brings it. */
export const lockLease = (tx: OrgTx, leaseId: string) => lockLeases(tx, [leaseId]);

/** The same of several leases, in the order of their ids. */
export const lockLeases = (tx: OrgTx, leaseIds: readonly string[]) =>
  tx.all(
    sql`select pg_advisory_xact_lock(hashtextextended(id, 0)) from (select id from unnest(${[...leaseIds]}::text[]) as given (id) order by id) as one_by_one`,
  );

/** The day from on which what a lease costs is charged here. */
export const billedFrom = ({ startDate, billFrom = startDate }: Lease): string => maxDate(startDate, billFrom);

type RuleTerms = Pick<RecurringChargeRule, "amountCents" | "categoryId" | "dayOfMonth" | "kind" | "label" | "status" | "isLeaseRent" | "proratesFirstMonth"> &
  Partial<Pick<RecurringChargeRule, "startDate" | "endDate" | "postFrom" | "rentChangeId">>;

/** Sets up a recurring charge of a lease, from its first to its last day unless the terms say otherwise. */
export async function createRule(tx: OrgTx, lease: Lease, terms: RuleTerms): Promise<RecurringChargeRule> {
  const { id, propertyId, unitId, tenantId, startDate, billedUntil } = lease;
  const rule = tx.create(RecurringChargeRule, {
    id: newId(),
    leaseId: id,
    propertyId,
    unitId,
    tenantId,
    startDate,
    endDate: billedUntil ?? null,
    postFrom: billedFrom(lease),
    ...terms,
  });
  await announce(tx, "recurring_charge.created", { entityId: rule.id, data: { leaseId: id, status: terms.status } });
  return rule;
}

/** Sets up the rent that a lease begins with. */
export async function createRentRule(tx: OrgTx, chart: Chart, lease: Lease, status: "draft" | "active"): Promise<RecurringChargeRule | undefined> {
  const rentCents = firstRent(lease);
  if (!lease.createRecurringRent || rentCents === 0) return undefined;
  return createRule(tx, lease, {
    amountCents: rentCents as RuleTerms["amountCents"],
    categoryId: chart.idOf("4000"),
    dayOfMonth: lease.rentChargeDay,
    kind: "rent",
    label: "Rent",
    status,
    isLeaseRent: true,
    proratesFirstMonth: lease.prorateFirstMonth,
  });
}

/** The recurring charges of a lease and some of its charges, as callers see them. */
export const readBilling = async (db: OrgDb, leaseId: string, chargeIds: readonly string[]): Promise<LeaseBilling> =>
  (await readBillings(db, [leaseId], chargeIds))[0]!;

/** The same of several leases, in their order. */
export async function readBillings(db: OrgDb, leaseIds: readonly string[], chargeIds: readonly string[]): Promise<LeaseBilling[]> {
  const rules = Map.groupBy(await rulesOfLeases(db, leaseIds), ({ leaseId }) => leaseId);
  const found =
    chargeIds.length === 0
      ? []
      : await db.all(
          sql<ChargeRow>`select ${chargeColumns} from charge c where c.organization_id = ${db.organizationId} and c.id = any(${[...chargeIds]}::uuid[]) order by c.due_date, c.id`,
        );
  const charges = Map.groupBy(found, ({ leaseId }) => leaseId);
  return leaseIds.map((id) => ({
    recurringChargeRules: (rules.get(id) ?? []).map((row) => JSON.stringify(recurringChargeView(row))),
    charges: (charges.get(id) ?? []).map((row) => JSON.stringify(chargeView(row, db.principal.timezone))),
  }));
}

const rulesOfLeases = (db: OrgDb, leaseIds: readonly string[]): Promise<RuleRow[]> =>
  db.all(sql<RuleRow>`select ${ruleColumns} from recurring_charge_rule r
    where r.organization_id = ${db.organizationId} and r.lease_id = any(${[...leaseIds]}::uuid[]) order by r.created_at, r.id limit 5000`);

/** The recurring charges of leases as callers see them, oldest first. */
export const listLeaseRules = async (db: OrgDb, leaseIds: readonly string[]): Promise<string[]> =>
  (await rulesOfLeases(db, leaseIds)).map((row) => JSON.stringify(recurringChargeView(row)));
