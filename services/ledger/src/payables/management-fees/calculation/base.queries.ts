/** Amounts of charges and payments that management fees count, and what completed runs have counted. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { BaseItem, ChargedFee } from "./fee-lines.rules.ts";
import type { Period } from "./segments.rules.ts";

export type PropertyItem = BaseItem & { propertyId: string };

/** Period whose amounts are counted. */
export interface CountedPeriod extends Period {
  /** False when no run has been completed, so that nothing has been counted before. The plan then leaves earlier days out. */
  hasRuns: boolean;
  /** Ids of the payments whose amounts count; by default those of all payments count. */
  paymentIds?: readonly string[] | undefined;
}

/** Tells whether the organization has a completed run that begins by the end of a period. */
export const hasCompletedRun = async (db: StatementRunner, { periodEnd }: Period): Promise<boolean> =>
  (await db.first(sql`select 1 as one from management_fee_run
    where organization_id = ${db.organizationId} and status = 'completed' and period_start <= ${periodEnd} limit 1`)) !== undefined;

/** Selects what completed runs have counted of amounts of properties, by the column that identifies an amount, as `id` and `cents`. */
const counted = (db: StatementRunner, propertyIds: readonly string[], column: RawBuilder<unknown>, condition = sql`true`): RawBuilder<unknown> =>
  sql`(select ${column} as id, sum(b.amount_cents) as cents from management_fee f
    join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    join management_fee_base b on b.organization_id = f.organization_id and b.fee_id = f.id
    where f.organization_id = ${db.organizationId} and f.property_id = any(${[...propertyIds]}::uuid[]) and ${column} is not null and ${condition} group by 1)`;

/**
 * Condition that an amount of the charge `c` on a day counts in the period: its day is in it, or in the period of a completed run that
 * has counted another amount, or that was made before the amount was recorded. An amount that a run has left out by the terms of its
 * agreement stays out. Times of concurrent transactions may differ from their order, hence the minute.
 */
const countsIn = (db: StatementRunner, period: CountedPeriod, day: RawBuilder<unknown>, recordedAt: RawBuilder<unknown>) =>
  sql`${day} <= ${period.periodEnd} and (${day} >= ${period.periodStart} or ${period.hasRuns}::boolean and exists (select from management_fee f
    join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    where f.organization_id = ${db.organizationId} and f.property_id = c.property_id and ${day} between r.period_start and r.period_end
      and (k.id is not null or ${recordedAt} > r.created_at - interval '1 minute')))`;

/** Condition that the entry `e` can be of the period, for an index: the date of an entry is never before its day. */
const isEntryOf = ({ periodStart, hasRuns }: CountedPeriod) => (hasRuns ? sql`true` : sql`e.entry_date >= ${periodStart}`);

/** Selects what payments have settled of charges of properties and was not counted yet, by allocation, with what was counted and no longer settles its charge. */
export function selectCollected(db: StatementRunner, propertyIds: readonly string[], period: CountedPeriod): RawBuilder<PropertyItem> {
  const day = sql`coalesce(e.moved_from, e.entry_date)`;
  const cents = sql`case when a.released_at is null then a.amount_cents else 0 end - coalesce(k.cents, 0)`;
  return sql<PropertyItem>`select c.property_id, c.id as charge_id, c.charge_type, a.payment_id, a.id as allocation_id, null::uuid as credit_id, ${day} as day, c.due_date, (${cents})::bigint as amount_cents
    from charge c join payment_allocation a on a.organization_id = c.organization_id and a.charge_id = c.id
      join journal_entry e on e.organization_id = a.organization_id and e.id = a.entry_id
      left join ${counted(db, propertyIds, sql`b.allocation_id`)} k on k.id = a.id
    where c.organization_id = ${db.organizationId} and c.property_id = any(${[...propertyIds]}::uuid[]) and ${cents} <> 0
      and ${period.paymentIds ? sql`a.payment_id = any(${[...period.paymentIds]}::uuid[])` : sql`true`} 
      and ${isEntryOf(period)} and ${countsIn(db, period, day, sql`a.created_at`)} order by day, a.id`;
}

/** Selects what security deposits have settled of charges of properties and was not counted yet, by credit, like `selectCollected`. */
export function selectSettledByDeposits(db: StatementRunner, propertyIds: readonly string[], period: CountedPeriod): RawBuilder<PropertyItem> {
  const day = sql`coalesce(e.moved_from, e.entry_date)`;
  const cents = sql`case when d.reversed_at is null then d.amount_cents else 0 end - coalesce(k.cents, 0)`;
  return sql<PropertyItem>`select c.property_id, c.id as charge_id, c.charge_type, null::uuid as payment_id, null::uuid as allocation_id, d.id as credit_id, ${day} as day, c.due_date, (${cents})::bigint as amount_cents
    from charge c join charge_credit d on d.organization_id = c.organization_id and d.charge_id = c.id and d.security_deposit_id is not null
      join journal_entry e on e.organization_id = d.organization_id and e.id = d.entry_id
      left join ${counted(db, propertyIds, sql`b.credit_id`)} k on k.id = d.id
    where c.organization_id = ${db.organizationId} and c.property_id = any(${[...propertyIds]}::uuid[]) and ${cents} <> 0
      and ${isEntryOf(period)} and ${countsIn(db, period, day, sql`d.created_at`)} order by day, d.id`;
}

/**
 * Selects what charges of properties have billed and was not counted yet, less their credits, with what was counted and is no longer
 * billed. A credit that a security deposit has paid is money, and what it settles stays billed.
 */
export function selectBilled(db: StatementRunner, propertyIds: readonly string[], period: CountedPeriod): RawBuilder<PropertyItem> {
  const paid = sql`(select charge_id, sum(amount_cents) as cents from charge_credit
    where organization_id = ${db.organizationId} and security_deposit_id is not null and reversed_at is null group by 1)`;
  const cents = sql`case when c.status = 'voided' then 0 else c.amount_cents - c.credited_cents + coalesce(d.cents, 0) end - coalesce(k.cents, 0)`;
  return sql<PropertyItem>`select c.property_id, c.id as charge_id, c.charge_type, null::uuid as payment_id, null::uuid as allocation_id, null::uuid as credit_id, c.due_date as day, c.due_date, (${cents})::bigint as amount_cents
    from charge c left join ${paid} d on d.charge_id = c.id
      left join ${counted(db, propertyIds, sql`b.charge_id`, sql`b.allocation_id is null and b.credit_id is null`)} k on k.id = c.id
    where c.organization_id = ${db.organizationId} and c.property_id = any(${[...propertyIds]}::uuid[]) and ${cents} <> 0
      and ${countsIn(db, period, sql`c.due_date`, sql`c.created_at`)} order by c.due_date, c.id`;
}

/**
 * Selects the sums of amounts of a property, charge type, day, due date and sign. The ids of a sum are those of any amount in it, so it can
 * neither be filtered by payment nor saved as the base of a fee.
 */
export const sumItems = (items: RawBuilder<PropertyItem>): RawBuilder<PropertyItem> =>
  sql<PropertyItem>`select property_id, charge_type, day, due_date, sum(amount_cents)::bigint as amount_cents, any_value(charge_id) as charge_id,
      any_value(payment_id) as payment_id, any_value(allocation_id) as allocation_id, any_value(credit_id) as credit_id
    from (${items}) item group by property_id, charge_type, day, due_date, amount_cents < 0 order by day, due_date, property_id, charge_type, amount_cents < 0`;

/** Period of a completed run in which a property was charged. */
export interface ChargedPeriod extends Period {
  propertyId: string;
}

/** Selects the completed runs of properties whose periods overlap the given one. */
export const selectChargedPeriods = (db: StatementRunner, propertyIds: readonly string[], { periodStart, periodEnd }: Period): RawBuilder<ChargedPeriod> =>
  sql<ChargedPeriod>`select distinct f.property_id, r.period_start, r.period_end from management_fee f
    join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    where f.organization_id = ${db.organizationId} and f.property_id = any(${[...propertyIds]}::uuid[])
      and r.period_start <= ${periodEnd} and r.period_end >= ${periodStart} order by 1, 2`;

/** Selects the last day for which completed runs have charged each of some properties. */
export const selectChargedThrough = (db: StatementRunner, propertyIds: readonly string[]): RawBuilder<{ propertyId: string; chargedThrough: string }> =>
  sql<{ propertyId: string; chargedThrough: string }>`select f.property_id, max(r.period_end) as charged_through from management_fee f
    join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    where f.organization_id = ${db.organizationId} and f.property_id = any(${[...propertyIds]}::uuid[]) group by 1`;

/** Selects the fees that completed runs have charged properties for months. */
export const selectChargedFees = (
  db: StatementRunner,
  propertyIds: readonly string[],
  months: readonly string[],
): RawBuilder<ChargedFee & { propertyId: string }> =>
  sql<ChargedFee & { propertyId: string }>`select f.property_id, f.agreement_id, f.month, f.base_cents, f.computed_cents, f.amount_cents, f.is_waived, f.rate,
      r.period_start, r.period_end
    from management_fee f join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    where f.organization_id = ${db.organizationId} and f.property_id = any(${[...propertyIds]}::uuid[]) and f.month = any(${[...months]}::date[])
      and f.kind = 'management' order by f.id`;

/** Selects the leases of properties that completed runs have charged a leasing or renewal fee for. */
export const selectChargedLeases = (db: StatementRunner, propertyIds: readonly string[]): RawBuilder<{ leaseId: string }> =>
  sql<{ leaseId: string }>`select f.lease_id from management_fee f
    join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    where f.organization_id = ${db.organizationId} and f.property_id = any(${[...propertyIds]}::uuid[]) and f.lease_id is not null`;
