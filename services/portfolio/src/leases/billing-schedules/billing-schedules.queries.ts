import type { BillingSchedule, billingSchedules } from "@freehold/contract/billing-schedules";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

export type BillingScheduleRow = BillingSchedule & { version: number };

/** The amount of the step that a schedule has on a day. */
export const amountOn = (day: string | RawBuilder<unknown>) => sql<number>`(select s.amount_cents from billing_step s
  where s.organization_id = b.organization_id and s.schedule_id = b.id and s.start_date <= ${day}::date and (s.end_date is null or s.end_date >= ${day}::date))`;

const columns = (db: StatementRunner) => sql`b.id, b.organization_id, b.lease_id, b.label, b.charge_type, b.category_id, b.frequency,
  (select json_agg(json_build_object('startDate', s.start_date, 'endDate', s.end_date, 'amountCents', s.amount_cents) order by s.start_date)
    from billing_step s where s.organization_id = b.organization_id and s.schedule_id = b.id) as steps,
  ${amountOn(today(db.principal.timezone))} as current_amount_cents, b.created_at, b.updated_at, b.deleted_at, b.version`;

/** One billing schedule, also one that was deleted, or 404. */
export async function findBillingSchedule(db: StatementRunner, id: string): Promise<BillingScheduleRow> {
  const row = await db.first(
    sql<BillingScheduleRow>`select ${columns(db)} from billing_schedule b where b.organization_id = ${db.organizationId} and b.id = ${id}`,
  );
  if (!row) throw notFound("Billing schedule");
  return row;
}

/** The lease of a billing schedule that is there, or 404. */
export async function leaseOfBillingSchedule(db: StatementRunner, id: string): Promise<string> {
  const row = await db.first(sql<{ leaseId: string }>`select b.lease_id from billing_schedule b
    join lease l on l.organization_id = b.organization_id and l.id = b.lease_id and l.deleted_at is null
    where b.organization_id = ${db.organizationId} and b.id = ${id} and b.deleted_at is null`);
  if (!row) throw notFound("Billing schedule");
  return row.leaseId;
}

/** The other schedules of base rent that a lease has. */
export const otherBaseRents = (db: StatementRunner, leaseId: string, but: string): Promise<BillingScheduleRow[]> =>
  db.all(sql<BillingScheduleRow>`select ${columns(db)} from billing_schedule b where b.organization_id = ${db.organizationId} and b.lease_id = ${leaseId}
    and b.charge_type = 'base_rent' and b.id <> ${but} and b.deleted_at is null order by b.id`);

/** Whether a parking right is linked to a schedule. */
export async function isLinked(db: StatementRunner, id: string): Promise<boolean> {
  const linked = await db.first(
    sql`select 1 as one from parking_right where organization_id = ${db.organizationId} and billing_schedule_id = ${id} and deleted_at is null limit 1`,
  );
  return linked !== undefined;
}

/** A page of the billing schedules of a lease. */
export const pageOfBillingSchedules = (
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
