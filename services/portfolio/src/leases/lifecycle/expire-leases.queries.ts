/** Queries of active leases past their last day. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

const BATCH_SIZE = 500;

/** Condition that the lease `l` is active and ends on its end date. A lease with a pending renewal ends when the renewal becomes active. */
const endsOnEndDate = sql`l.status = 'active' and l.term_type <> 'month_to_month' and l.deleted_at is null
  and not exists (select from lease r where r.organization_id = l.organization_id and r.renewed_from_lease_id = l.id and r.status = 'pending' and r.deleted_at is null)`;

/**
 * Returns one batch of the ids of leases whose last day is before `day`, in id order after `afterId`. They are few, and materialized: in the order
 * of ids, PostgreSQL would read all leases.
 */
export async function findLeasesPastEnd(db: StatementRunner, day: string, afterId: string | null = null): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`with ended as materialized (select l.id from lease l
      where l.organization_id = ${db.organizationId} and ${endsOnEndDate} and l.end_date < ${day}::date)
    select id from ended where ${afterId}::uuid is null or id > ${afterId}::uuid order by id limit ${BATCH_SIZE}`);
  return rows.map(({ id }) => id);
}

/** Tells whether a lease is active, ends on its end date, and that date is before `day`. */
export async function isPastEnd(db: StatementRunner, id: string, day: string): Promise<boolean> {
  const row = await db.first(
    sql`select 1 as one from lease l where l.organization_id = ${db.organizationId} and l.id = ${id} and ${endsOnEndDate} and l.end_date < ${day}::date`,
  );
  return row !== undefined;
}

/** Returns the earliest date on or after `day` on which a lease ends. */
export async function findNextEndDate(db: StatementRunner, day: string): Promise<string | undefined> {
  const row = await db.first(sql<{ endDate: string }>`select l.end_date from lease l
    where l.organization_id = ${db.organizationId} and ${endsOnEndDate} and l.end_date >= ${day}::date order by l.end_date limit 1`);
  return row?.endDate;
}
