/** gRPC messages of portfolio's records, read in batches by id. Unknown ids and ids of other organizations are omitted. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Owner, Property, Tenant, Unit, Vendor, WorkOrder } from "@freehold/proto/portfolio/v1/portfolio";
import { begunLeases } from "../properties/units/occupancy.queries.ts";

const hasIdIn = (db: StatementRunner, ids: readonly string[]) => sql`organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`;

/** Returns properties, including deleted ones. */
export async function findPropertyMessages(db: StatementRunner, ids: readonly string[]): Promise<Property[]> {
  type Row = Omit<Property, "depositDeadlineDays"> & { depositDeadlineDays: number | null };
  const rows = await db.all(
    sql<Row>`select id, name, city, state, deleted_at is not null as is_deleted, deposit_deadline_days from property where ${hasIdIn(db, ids)}`,
  );
  return rows.map(({ depositDeadlineDays, ...row }) => ({ ...row, ...(depositDeadlineDays !== null && { depositDeadlineDays }) }));
}

/** Returns tenants, including deleted ones. */
export async function findTenantMessages(db: StatementRunner, ids: readonly string[]): Promise<Tenant[]> {
  type Row = Omit<Tenant, "mergedIntoId"> & { mergedIntoId: string | null };
  const rows = await db.all(sql<Row>`select id, full_name, deleted_at is not null as is_deleted, merged_into_id from tenant where ${hasIdIn(db, ids)}`);
  return rows.map(({ mergedIntoId, ...row }) => ({ ...row, ...(mergedIntoId !== null && { mergedIntoId }) }));
}

/** Returns owners, including deleted ones. */
export const findOwnerMessages = (db: StatementRunner, ids: readonly string[]): Promise<Owner[]> =>
  db.all(
    sql<Owner>`select id, full_name, deleted_at is not null as is_deleted, hold_payouts, payout_method, email, statement_deliver from owner where ${hasIdIn(db, ids)}`,
  );

/** Returns vendors, including deleted ones. */
export const findVendorMessages = (db: StatementRunner, ids: readonly string[]): Promise<Vendor[]> => readVendorMessages(db, hasIdIn(db, ids));

/** Returns the active vendors whose liability insurances have all expired before a day, by name. */
export const findVendorsWithLapsedInsurance = (db: StatementRunner, asOf: string): Promise<Vendor[]> =>
  readVendorMessages(db, sql`organization_id = ${db.organizationId} and is_active and deleted_at is null and ${insuredUntil} < ${asOf}`);

const insuredUntil = sql`(select max(i.expires_on) from vendor_insurance i
  where i.organization_id = vendor.organization_id and i.vendor_id = vendor.id and i.kind = 'liability')`;

async function readVendorMessages(db: StatementRunner, condition: RawBuilder<unknown>): Promise<Vendor[]> {
  type Row = Pick<Vendor, "id" | "name" | "isDeleted"> & { insuredUntil: string | null; categoryId: string | null; paymentTermsDays: number | null };
  const rows = await db.all(
    sql<Row>`select id, name, deleted_at is not null as is_deleted, ${insuredUntil} as insured_until, category_id, payment_terms_days
      from vendor where ${condition} order by name, id`,
  );
  return rows.map(({ insuredUntil: day, categoryId, paymentTermsDays, ...row }) => ({
    ...row,
    ...(day !== null && { insuredUntil: day }),
    ...(categoryId !== null && { categoryId }),
    ...(paymentTermsDays !== null && { paymentTermsDays }),
  }));
}

/** Returns work orders, for a portal user only those of the user's reach. */
export async function findWorkOrderMessages(db: StatementRunner, ids: readonly string[]): Promise<WorkOrder[]> {
  type Row = Pick<WorkOrder, "id" | "propertyId" | "number" | "title" | "status"> & Record<"unitId" | "leaseId" | "vendorId" | "chargeableTo", string | null>;
  const rows = await db.all(
    sql<Row>`select id, property_id, unit_id, lease_id, vendor_id, number, title, status, chargeable_to from work_order where ${hasIdIn(db, ids)}`,
  );
  return rows.map(({ unitId, leaseId, vendorId, chargeableTo, ...row }) => ({
    ...row,
    ...(unitId !== null && { unitId }),
    ...(leaseId !== null && { leaseId }),
    ...(vendorId !== null && { vendorId }),
    ...(chargeableTo !== null && { chargeableTo }),
  }));
}

/** Returns units, including deleted ones, each with its leases that have begun, without those made by mistake, and the last day of each. */
export const findUnitMessages = (db: StatementRunner, ids: readonly string[]): Promise<Unit[]> => readUnitMessages(db, hasIdIn(db, ids));

/** Returns the units of properties like `findUnitMessages`, without deleted units. */
export const findUnitMessagesOfProperties = (db: StatementRunner, propertyIds: readonly string[]): Promise<Unit[]> =>
  readUnitMessages(db, sql`organization_id = ${db.organizationId} and property_id = any(${[...propertyIds]}::uuid[]) and deleted_at is null`);

async function readUnitMessages(db: StatementRunner, condition: RawBuilder<unknown>): Promise<Unit[]> {
  type Row = Pick<Unit, "id" | "propertyId" | "marketRentCents" | "isDeleted"> & {
    unitNumber: string | null;
    leases: { leaseId: string; startDate: string; lastDay: string | null }[];
  };
  const rows =
    await db.all(sql<Row>`select id, property_id, unit_number, coalesce(market_rent_cents, monthly_rent_cents) as market_rent_cents, deleted_at is not null as is_deleted, ${begunLeases} as leases
    from unit u where ${condition} order by id`);
  return rows.map(({ unitNumber, leases, ...row }) => ({
    ...row,
    ...(unitNumber !== null && { unitNumber }),
    leases: leases.map(({ lastDay, ...lease }) => ({ ...lease, ...(lastDay !== null && { lastDay }) })),
  }));
}
