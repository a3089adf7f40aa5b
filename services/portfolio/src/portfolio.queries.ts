/** What other services ask about the portfolio, in batches; unknown and foreign ids are left out. */
import { today } from "@freehold/kit/time/clock";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Owner, Property, Tenant, Unit } from "@freehold/proto/portfolio/v1/portfolio";
import { currentLease } from "./properties/units/occupancy.queries.ts";

const ofThese = (db: StatementRunner, ids: readonly string[]) => sql`organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`;

export const propertiesFor = (db: StatementRunner, ids: readonly string[]): Promise<Property[]> =>
  db.all(sql<Property>`select id, name, city, state, deleted_at is not null as is_deleted from property where ${ofThese(db, ids)}`);

export async function tenantsFor(db: StatementRunner, ids: readonly string[]): Promise<Tenant[]> {
  type Row = Omit<Tenant, "mergedIntoId"> & { mergedIntoId: string | null };
  const rows = await db.all(sql<Row>`select id, full_name, deleted_at is not null as is_deleted, merged_into_id from tenant where ${ofThese(db, ids)}`);
  return rows.map(({ mergedIntoId, ...row }) => ({ ...row, ...(mergedIntoId !== null && { mergedIntoId }) }));
}

export const ownersFor = (db: StatementRunner, ids: readonly string[]): Promise<Owner[]> =>
  db.all(sql<Owner>`select id, full_name from owner where ${ofThese(db, ids)}`);

/** Units with the lease that is active there today. */
export async function unitsFor(db: StatementRunner, ids: readonly string[]): Promise<Unit[]> {
  type Row = Pick<Unit, "id" | "propertyId"> & { unitNumber: string | null; currentLeaseId: string | null };
  const rows = await db.all(
    sql<Row>`select id, property_id, unit_number, ${currentLease(today(db.principal.timezone))} as current_lease_id from unit u where ${ofThese(db, ids)}`,
  );
  return rows.map(({ id, propertyId, unitNumber, currentLeaseId }) => ({
    id,
    propertyId,
    ...(unitNumber !== null && { unitNumber }),
    ...(currentLeaseId !== null && { currentLeaseId }),
  }));
}
