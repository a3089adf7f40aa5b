/** The leases whose last day has passed and that nothing follows. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

const AT_ONCE = 500;

/** In force with a last day of its own. A renewal that waits for its start takes the lease over then. */
const endsByItself = sql`l.status = 'active' and l.term_type <> 'month_to_month' and l.deleted_at is null
  and not exists (select from lease r where r.organization_id = l.organization_id and r.renewed_from_lease_id = l.id and r.status = 'pending' and r.deleted_at is null)`;

/** Some of the leases that have run out by a day, in the order of their ids, from one id on. */
export async function findRunOut(db: StatementRunner, day: string, after: string | null = null): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select l.id from lease l where l.organization_id = ${db.organizationId} and ${endsByItself}
    and l.end_date < ${day}::date and (${after}::uuid is null or l.id > ${after}::uuid) order by l.id limit ${AT_ONCE}`);
  return rows.map(({ id }) => id);
}

/** Whether a lease has run out by a day. */
export async function hasRunOut(db: StatementRunner, id: string, day: string): Promise<boolean> {
  const row = await db.first(
    sql`select 1 as one from lease l where l.organization_id = ${db.organizationId} and l.id = ${id} and ${endsByItself} and l.end_date < ${day}::date`,
  );
  return row !== undefined;
}

/** The next last day of a lease from a day on. */
export async function nextToRunOut(db: StatementRunner, day: string): Promise<string | undefined> {
  const row = await db.first(sql<{ endDate: string | null }>`select min(l.end_date) as end_date from lease l
    where l.organization_id = ${db.organizationId} and ${endsByItself} and l.end_date >= ${day}::date`);
  return row?.endDate ?? undefined;
}
