import type { BillingSchedule, billingSchedules } from "@freehold/contract/ledger/billing-schedules";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

export type BillingScheduleRow = BillingSchedule & { version: number };

/** Returns the SQL of the amount that the billing schedule `b` has on a day, in cents. */
export const stepAmountOn = (day: string | RawBuilder<unknown>) => sql<number>`(select s.amount_cents from billing_step s
  where s.organization_id = b.organization_id and s.schedule_id = b.id and s.start_date <= ${day}::date and (s.end_date is null or s.end_date >= ${day}::date))`;

const columns = (db: StatementRunner) => sql`b.id, b.organization_id, b.lease_id, b.label, b.charge_type, b.category_id, b.frequency,
  (select json_agg(json_build_object('startDate', s.start_date, 'endDate', s.end_date, 'amountCents', s.amount_cents) order by s.start_date)
    from billing_step s where s.organization_id = b.organization_id and s.schedule_id = b.id) as steps,
  ${stepAmountOn(today(db.principal.timezone))} as current_amount_cents, b.created_at, b.updated_at, b.deleted_at, b.version`;

/** Returns a billing schedule, including a deleted one. Throws 404. */
export async function getBillingScheduleRow(db: StatementRunner, id: string): Promise<BillingScheduleRow> {
  const row = await db.first(
    sql<BillingScheduleRow>`select ${columns(db)} from billing_schedule b where b.organization_id = ${db.organizationId} and b.id = ${id}`,
  );
  if (!row) throw notFound("Billing schedule");
  return row;
}

/** Returns the lease id of a billing schedule that was not deleted. Throws 404. */
export async function getBillingScheduleLeaseId(db: StatementRunner, id: string): Promise<string> {
  const row = await db.first(sql<{ leaseId: string }>`select b.lease_id from billing_schedule b
    join lease l on l.organization_id = b.organization_id and l.id = b.lease_id and l.deleted_at is null
    where b.organization_id = ${db.organizationId} and b.id = ${id} and b.deleted_at is null`);
  if (!row) throw notFound("Billing schedule");
  return row.leaseId;
}

/** Returns the base rent schedules of a lease other than `exceptId`. */
export const findOtherBaseRentSchedules = (db: StatementRunner, leaseId: string, exceptId: string): Promise<BillingScheduleRow[]> =>
  db.all(sql<BillingScheduleRow>`select ${columns(db)} from billing_schedule b where b.organization_id = ${db.organizationId} and b.lease_id = ${leaseId}
    and b.charge_type = 'base_rent' and b.id <> ${exceptId} and b.deleted_at is null order by b.id`);

/** Tells whether a parking right is linked to a billing schedule. */
export async function isLinkedToParkingRight(db: StatementRunner, id: string): Promise<boolean> {
  const row = await db.first(
    sql`select 1 as one from parking_right where organization_id = ${db.organizationId} and billing_schedule_id = ${id} and deleted_at is null limit 1`,
  );
  return row !== undefined;
}

/**
 * Returns the SQL of the base rent that the lease `l` is scheduled to pay on a day, in cents per month. Null when no base
 * rent schedule has a step on that day.
 */
export const scheduledBaseRentOn = (day: RawBuilder<unknown>) => sql<
  number | null
>`(select round(s.amount_cents / case b.frequency when 'monthly' then 1.0 when 'quarterly' then 3 else 12 end)::bigint
  from billing_schedule b join billing_step s on s.organization_id = b.organization_id and s.schedule_id = b.id
  where b.organization_id = l.organization_id and b.lease_id = l.id and b.charge_type = 'base_rent' and b.deleted_at is null
    and s.start_date <= ${day} and (s.end_date is null or s.end_date >= ${day}) limit 1)`;

/** Returns a page of the billing schedules of a lease. */
export const listBillingScheduleRows = (
  db: OrgDb,
  leaseId: string,
  query: QueryOf<(typeof billingSchedules)["operations"]["listBillingSchedules"]>,
): Promise<Page<BillingScheduleRow>> =>
  listPage<BillingScheduleRow>(db, query, {
    select: columns(db),
    from: sql`billing_schedule b`,
    table: "b",
    where: [...listConditions(db, "b", query), sql`b.lease_id = ${leaseId}`],
    sorts: { createdAt: sql`b.created_at`, label: sql`b.label` },
  });
