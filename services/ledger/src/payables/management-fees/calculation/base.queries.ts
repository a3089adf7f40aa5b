/** Amounts of charges and payments that management fees count, and what completed runs have counted. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { BaseItem, ChargedFee } from "./fee-lines.rules.ts";
import type { Period } from "./segments.rules.ts";

export type PropertyItem = BaseItem & { propertyId: string };

/** Amounts of completed runs, as a relation with the columns of `management_fee_base`. */
const counted = (db: StatementRunner): RawBuilder<unknown> => sql`(select b.charge_id, b.allocation_id, b.credit_id, b.amount_cents from management_fee_base b
  join management_fee f on f.organization_id = b.organization_id and f.id = b.fee_id
  join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
  where b.organization_id = ${db.organizationId})`;

/**
 * Condition that an amount of the charge `c` on a day counts in the period: its day is in it, or in the period of a completed run that
 * has counted another amount, or that was made before the amount was recorded. An amount that a run has left out by the terms of its
 * agreement stays out. Times of concurrent transactions may differ from their order, hence the minute.
 */
const countsIn = (db: StatementRunner, period: Period, day: RawBuilder<unknown>, recordedAt: RawBuilder<unknown>, countedCents: RawBuilder<unknown>) =>
  sql`${day} <= ${period.periodEnd} and (${day} >= ${period.periodStart} or exists (select from management_fee f
    join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    where f.organization_id = ${db.organizationId} and f.property_id = c.property_id and ${day} between r.period_start and r.period_end
      and (${countedCents} is not null or ${recordedAt} > r.created_at - interval '1 minute')))`;

/** Selects what payments have settled of charges of properties and was not counted yet, by allocation, with what was counted and no longer settles its charge. */
export function selectCollected(db: StatementRunner, propertyIds: readonly string[], period: Period): RawBuilder<PropertyItem> {
  const day = sql`coalesce(e.moved_from, e.entry_date)`;
  const countedCents = sql`(select sum(k.amount_cents) from ${counted(db)} k where k.charge_id = c.id and k.allocation_id = a.id)`;
  const cents = sql`case when a.released_at is null then a.amount_cents else 0 end - coalesce(d.counted_cents, 0)`;
  return sql<PropertyItem>`select c.property_id, c.id as charge_id, c.charge_type, a.payment_id, a.id as allocation_id, null::uuid as credit_id, ${day} as day, (${cents})::bigint as amount_cents
    from charge c join payment_allocation a on a.organization_id = c.organization_id and a.charge_id = c.id
      join journal_entry e on e.organization_id = a.organization_id and e.id = a.entry_id
      cross join lateral (select ${countedCents} as counted_cents) d
    where c.organization_id = ${db.organizationId} and c.property_id = any(${[...propertyIds]}::uuid[]) and ${cents} <> 0
      and ${countsIn(db, period, day, sql`a.created_at`, sql`d.counted_cents`)} order by day, a.id`;
}

/** Selects what security deposits have settled of charges of properties and was not counted yet, by credit, like `selectCollected`. */
export function selectSettledByDeposits(db: StatementRunner, propertyIds: readonly string[], period: Period): RawBuilder<PropertyItem> {
  const day = sql`coalesce(e.moved_from, e.entry_date)`;
  const countedCents = sql`(select sum(n.amount_cents) from ${counted(db)} n where n.charge_id = c.id and n.credit_id = k.id)`;
  const cents = sql`case when k.reversed_at is null then k.amount_cents else 0 end - coalesce(d.counted_cents, 0)`;
  return sql<PropertyItem>`select c.property_id, c.id as charge_id, c.charge_type, null::uuid as payment_id, null::uuid as allocation_id, k.id as credit_id, ${day} as day, (${cents})::bigint as amount_cents
    from charge c join charge_credit k on k.organization_id = c.organization_id and k.charge_id = c.id and k.security_deposit_id is not null
      join journal_entry e on e.organization_id = k.organization_id and e.id = k.entry_id
      cross join lateral (select ${countedCents} as counted_cents) d
    where c.organization_id = ${db.organizationId} and c.property_id = any(${[...propertyIds]}::uuid[]) and ${cents} <> 0
      and ${countsIn(db, period, day, sql`k.created_at`, sql`d.counted_cents`)} order by day, k.id`;
}

/**
 * Selects what charges of properties have billed and was not counted yet, less their credits, with what was counted and is no longer
 * billed. A credit that a security deposit has paid is money, and what it settles stays billed.
 */
export function selectBilled(db: StatementRunner, propertyIds: readonly string[], period: Period): RawBuilder<PropertyItem> {
  const countedCents = sql`(select sum(n.amount_cents) from ${counted(db)} n where n.charge_id = c.id and n.allocation_id is null and n.credit_id is null)`;
  const paidCents = sql`(select coalesce(sum(k.amount_cents), 0) from charge_credit k where k.organization_id = c.organization_id and k.charge_id = c.id
    and k.security_deposit_id is not null and k.reversed_at is null)`;
  const cents = sql`case when c.status = 'voided' then 0 else c.amount_cents - c.credited_cents + d.paid_cents end - coalesce(d.counted_cents, 0)`;
  return sql<PropertyItem>`select c.property_id, c.id as charge_id, c.charge_type, null::uuid as payment_id, null::uuid as allocation_id, null::uuid as credit_id, c.due_date as day, (${cents})::bigint as amount_cents
    from charge c cross join lateral (select ${countedCents} as counted_cents, ${paidCents} as paid_cents) d
    where c.organization_id = ${db.organizationId} and c.property_id = any(${[...propertyIds]}::uuid[]) and ${cents} <> 0
      and ${countsIn(db, period, sql`c.due_date`, sql`c.created_at`, sql`d.counted_cents`)} order by c.due_date, c.id`;
}

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
