import type { properties, Property } from "@freehold/contract/properties/properties";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { foundIds } from "../db/found-records.ts";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { isOccupiedOn } from "./units/occupancy.queries.ts";
import { unfinishedCondition } from "../maintenance/work-orders/work-orders.queries.ts";

type ViewMember = "ownerIds" | "relations" | "overduePostedRentCents";
export type PropertyRow = Omit<Property, ViewMember> & { owners: { id: string; fullName: string }[]; version: number };

const liveUnits = sql`from unit u where u.organization_id = p.organization_id and u.property_id = p.id and u.deleted_at is null`;
/** Declared number of units, or the number of unit rows if higher. */
const unitCount = sql`greatest(p.units, (select count(*) ${liveUnits}))`;
/** Number of occupied unit rows, or the declared number without unit rows. */
const occupiedUnitCount = (day: string): RawBuilder<number> =>
  sql`case when exists (select 1 ${liveUnits}) then (select count(*) ${liveUnits} and ${isOccupiedOn(day)}) else p.occupied_units end`;
const owners = sql`(select coalesce(json_agg(json_build_object('id', o.id, 'fullName', o.full_name) order by po.position), '[]'::json)
  from property_owner po join owner o on o.organization_id = po.organization_id and o.id = po.owner_id
  where po.organization_id = p.organization_id and po.property_id = p.id)`;
const openWorkOrderCount = sql`(select count(*) from work_order w where w.organization_id = p.organization_id and w.property_id = p.id and ${unfinishedCondition})`;

const columns = (db: StatementRunner) => sql`p.id, p.organization_id, p.name, p.street_line1, p.street_line2, p.city, p.state, p.postal_code, p.asset_class,
  ${unitCount} as units,
  ${occupiedUnitCount(today(db.principal.timezone))} as occupied_units,
  ${owners} as owners,
  ${openWorkOrderCount} as open_work_order_count,
  p.reserve_cents, p.additional_reserve_cents, p.additional_reserve_note, p.maintenance_limit_cents,
  p.operating_bank_account_id, p.deposit_bank_account_id, p.management_start_date, p.management_end_date, p.deposit_deadline_days,
  p.created_at, p.updated_at, p.deleted_at, p.version`;

/** Returns a property with its counts of today, a deleted one only with `includeDeleted`. Throws 404. */
export async function getPropertyRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<PropertyRow> {
  const row = await db.first(sql<PropertyRow>`select ${columns(db)} from property p
    where p.organization_id = ${db.organizationId} and p.id = ${id} and (${includeDeleted} or p.deleted_at is null)`);
  if (!row) throw notFound("Property");
  return row;
}

type PropertyFilters = QueryOf<(typeof properties)["operations"]["listProperties"]>;

/** Returns a page of properties with their counts of today. Search covers the name and the address. */
export function listPropertyRows(db: OrgDb, query: PropertyFilters): Promise<Page<PropertyRow>> {
  const { search, ownerId, assetClass, state, city, hasVacancy } = query;
  const occupiedUnits = occupiedUnitCount(today(db.principal.timezone));
  return listPage<PropertyRow>(db, query, {
    select: columns(db),
    from: sql`property p`,
    table: "p",
    totalName: "property",
    where: [
      ...listConditions(db, "p", query),
      search !== undefined && sql`p.id in ${foundIds(db, "property", search, ["name", "street_line1", "city", "postal_code"])}`,
      ownerId !== undefined &&
        sql`exists (select 1 from property_owner po where po.organization_id = p.organization_id and po.property_id = p.id and po.owner_id = ${ownerId})`,
      assetClass !== undefined && sql`p.asset_class = any(${assetClass})`,
      state !== undefined && sql`p.state = ${state}`,
      city !== undefined && sql`lower(p.city) = lower(${city})`,
      hasVacancy !== undefined && sql`(${occupiedUnits} < ${unitCount}) = ${hasVacancy}`,
    ],
    sorts: { name: sql`p.name`, city: sql`p.city`, units: unitCount, occupiedUnits, createdAt: sql`p.created_at` },
  });
}

/** Tells whether a property has unit records, which its occupied units are derived from. */
export const hasUnits = async (db: StatementRunner, id: string): Promise<boolean> =>
  (await db.first(sql`select 1 as found from unit where organization_id = ${db.organizationId} and property_id = ${id} and deleted_at is null limit 1`)) !==
  undefined;

/** Replaces the owners of a property, in the given order. */
export async function replaceOwners(tx: OrgTx, propertyId: string, ownerIds: readonly string[]): Promise<void> {
  const formerOwners = await tx.all(
    sql<{ ownerId: string; position: number }>`delete from property_owner where organization_id = ${tx.organizationId} and property_id = ${propertyId}
      returning owner_id, position`,
  );
  const formerOwnerIds = formerOwners.toSorted((a, b) => a.position - b.position).map(({ ownerId }) => ownerId);
  tx.changeTracker?.recordChange(propertyId, "ownerIds", formerOwnerIds, ownerIds);
  await tx.all(sql`insert into property_owner (organization_id, property_id, owner_id, position)
    select ${tx.organizationId}, ${propertyId}, owner_id, position from unnest(${[...ownerIds]}::uuid[]) with ordinality as input (owner_id, position)
    on conflict do nothing`);
}

/** Soft-deletes the units of a property that is being deleted, with the same timestamp, and returns their ids. */
export async function deletePropertyUnits(tx: StatementRunner, propertyId: string, deletedAt: Date): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`update unit set deleted_at = ${deletedAt}, updated_at = ${deletedAt}, version = version + 1
    where organization_id = ${tx.organizationId} and property_id = ${propertyId} and deleted_at is null returning id`);
  return rows.map(({ id }) => id);
}
