import type { leaseOccupants, Occupant } from "@freehold/contract/leases/lease-occupants";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";

export type OccupantRow = Occupant & { version: number };

const columns = sql`c.id, c.tenant_id, t.full_name as tenant_name, c.full_name, c.is_primary, c.role, c.provider_role, c.relationship, c.notes, c.move_in_date,
  c.move_out_date, c.released_on, c.removed_at, c.version`;
const occupantWithTenant = sql`lease_occupant c left join tenant t on t.organization_id = c.organization_id and t.id = c.tenant_id`;

/** Returns an occupant, including a removed one. Throws 404. */
export async function getOccupantRow(db: StatementRunner, id: string): Promise<OccupantRow> {
  const row = await db.first(sql<OccupantRow>`select ${columns} from ${occupantWithTenant} where c.organization_id = ${db.organizationId} and c.id = ${id}`);
  if (!row) throw notFound("Occupant");
  return row;
}

/** Returns the lease id of an occupant. Throws 404, also when the occupant was removed or the lease deleted. */
export async function getOccupantLeaseId(db: StatementRunner, id: string): Promise<string> {
  const row = await db.first(sql<{
    leaseId: string;
  }>`select c.lease_id from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${db.organizationId} and c.id = ${id} and c.removed_at is null and l.deleted_at is null`);
  if (!row) throw notFound("Occupant");
  return row.leaseId;
}

/** Returns a page of the occupants of a lease; removed ones only with `includeDeleted`. */
export const listOccupantRows = (
  db: OrgDb,
  leaseId: string,
  query: QueryOf<(typeof leaseOccupants)["operations"]["listOccupants"]>,
): Promise<Page<OccupantRow>> =>
  listPage<OccupantRow>(db, query, {
    select: columns,
    from: occupantWithTenant,
    table: "c",
    where: [...listConditions(db, "c", query, false), sql`c.lease_id = ${leaseId}`, !query.includeDeleted && sql`c.removed_at is null`],
    sorts: { fullName: sql`c.full_name`, createdAt: sql`c.created_at` },
  });

/** Renames a tenant on all leases, except where the lease records another name. */
export async function renameOccupants(tx: StatementRunner, { id, fullName }: { id: string; fullName: string }, newName: string): Promise<void> {
  if (newName === fullName) return;
  await tx.all(sql`update lease_occupant set full_name = ${newName}, updated_at = now(), version = version + 1
    where organization_id = ${tx.organizationId} and tenant_id = ${id} and full_name = ${fullName}`);
}
