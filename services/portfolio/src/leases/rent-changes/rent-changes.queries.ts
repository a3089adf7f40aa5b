import type { QueryOf } from "@freehold/contract/operation";
import type { RentChange, rentChanges } from "@freehold/contract/leases/rent-changes";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";

export type RentChangeRow = RentChange & { version: number };

const columns = sql`c.id, c.organization_id, c.lease_id, c.effective_date, c.rent_cents, c.previous_rent_cents, c.notice_sent_on, c.created_at, c.updated_at,
  c.deleted_at, c.version`;

/** Returns a rent change, including a deleted one. Throws 404. */
export async function getRentChangeRow(db: StatementRunner, id: string): Promise<RentChangeRow> {
  const row = await db.first(sql<RentChangeRow>`select ${columns} from rent_change c where c.organization_id = ${db.organizationId} and c.id = ${id}`);
  if (!row) throw notFound("Rent change");
  return row;
}

/** Returns the lease id of a rent change that was not deleted. Throws 404. */
export async function getRentChangeLeaseId(db: StatementRunner, id: string): Promise<string> {
  const row = await db.first(sql<{ leaseId: string }>`select c.lease_id from rent_change c
    join lease l on l.organization_id = c.organization_id and l.id = c.lease_id and l.deleted_at is null
    where c.organization_id = ${db.organizationId} and c.id = ${id} and c.deleted_at is null`);
  if (!row) throw notFound("Rent change");
  return row.leaseId;
}

/** Returns the rent changes of a lease that were not deleted, by effective date. */
export const findLeaseRentChanges = (db: StatementRunner, leaseId: string): Promise<RentChangeRow[]> =>
  db.all(sql<RentChangeRow>`select ${columns} from rent_change c where c.organization_id = ${db.organizationId} and c.lease_id = ${leaseId}
    and c.deleted_at is null order by c.effective_date`);

/**
 * Returns the rent changes of active leases that were neither applied nor deleted, including those that are not yet effective, by
 * effective date, at most 1,000.
 */
export const findUnappliedRentChanges = (db: StatementRunner): Promise<{ leaseId: string; effectiveDate: string }[]> =>
  db.all(sql<{ leaseId: string; effectiveDate: string }>`select c.lease_id, c.effective_date from rent_change c
    join lease l on l.organization_id = c.organization_id and l.id = c.lease_id and l.status = 'active' and l.deleted_at is null
    where c.organization_id = ${db.organizationId} and c.applied_at is null and c.deleted_at is null order by c.effective_date, c.lease_id limit 1000`);

/** Returns a page of the rent changes of a lease. */
export const listRentChangeRows = (
  db: OrgDb,
  leaseId: string,
  query: QueryOf<(typeof rentChanges)["operations"]["listRentChanges"]>,
): Promise<Page<RentChangeRow>> =>
  listPage<RentChangeRow>(db, query, {
    select: columns,
    from: sql`rent_change c`,
    table: "c",
    where: [...listConditions(db, "c", query), sql`c.lease_id = ${leaseId}`],
    sorts: { effectiveDate: sql`c.effective_date`, createdAt: sql`c.created_at` },
  });
