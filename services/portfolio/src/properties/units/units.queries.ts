import type { Unit, units } from "@freehold/contract/properties/units";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { foundIds } from "../../db/found-records.ts";
import { sql } from "@freehold/kit/db/statement";
import { instantInJson } from "../../db/json.queries.ts";
import { currentLeaseIdOn, hasUnitStatusOn, isOccupiedOn, isVacantAsOf, unitStatusOn } from "./occupancy.queries.ts";

export type UnitRow = Unit & { version: number };

const feeTemplates = sql`(select coalesce(json_agg(json_build_object('id', f.id, 'unitId', f.unit_id, 'label', f.label, 'amountCents', f.amount_cents,
    'categoryId', f.category_id, 'defaultDueDay', f.default_due_day, 'kind', f.kind, 'createdAt', ${instantInJson("f.created_at")},
    'updatedAt', ${instantInJson("f.updated_at")}) order by f.position), '[]'::json)
  from unit_fee_template f where f.organization_id = u.organization_id and f.unit_id = u.id)`;

const columns = (
  day: string,
) => sql`u.id, u.organization_id, u.property_id, p.name as property_name, u.unit_number, u.unit_type, u.bedrooms, u.bathrooms, u.square_feet,
  u.floor, u.market_rent_cents, u.monthly_rent_cents, ${unitStatusOn(day)} as status, u.available_from, u.amenities, u.notes, ${currentLeaseIdOn(day)} as current_lease_id,
  ${feeTemplates} as fee_templates, u.created_at, u.updated_at, u.deleted_at, u.version`;

const unitWithProperty = sql`unit u join property p on p.organization_id = u.organization_id and p.id = u.property_id`;

/** Returns a unit with its status of today, a deleted one only with `includeDeleted`. Throws 404. */
export async function getUnitRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<UnitRow> {
  const row = await db.first(sql<UnitRow>`select ${columns(today(db.principal.timezone))} from ${unitWithProperty}
    where u.organization_id = ${db.organizationId} and u.id = ${id} and (${includeDeleted} or u.deleted_at is null)`);
  if (!row) throw notFound("Unit");
  return row;
}

/** Returns units with their status of today, in id order. */
export const findUnitRows = (db: StatementRunner, ids: readonly string[]): Promise<UnitRow[]> =>
  db.all(sql<UnitRow>`select ${columns(today(db.principal.timezone))} from ${unitWithProperty}
    where u.organization_id = ${db.organizationId} and u.id = any(${[...ids]}::uuid[]) order by u.id`);

/** Returns those of the unit numbers that a unit of the property has, in lower case. */
export async function findTakenUnitNumbers(db: StatementRunner, propertyId: string, numbers: readonly string[]): Promise<Set<string>> {
  const lowerCaseNumbers = numbers.map((number) => number.toLowerCase());
  const rows = await db.all(sql<{ number: string }>`select same_number as number from unit where organization_id = ${db.organizationId}
    and property_id = ${propertyId} and same_number = any(${lowerCaseNumbers}) and deleted_at is null`);
  return new Set(rows.map(({ number }) => number));
}

/** Tells whether somebody lives in a unit, or in any unit of a property, today. */
export async function isOccupied(db: StatementRunner, table: "property" | "unit", id: string): Promise<boolean> {
  const column = table === "unit" ? sql`u.id` : sql`u.property_id`;
  const occupied = await db.first(sql`select 1 as one from unit u where u.organization_id = ${db.organizationId} and ${column} = ${id}
    and u.deleted_at is null and ${isOccupiedOn(today(db.principal.timezone))} limit 1`);
  return occupied !== undefined;
}

type UnitFilters = QueryOf<(typeof units)["operations"]["listUnits"]>;

/** Returns a page of units with their status of today. Search covers the unit number and the name of the property. */
export function listUnitRows(db: OrgDb, query: UnitFilters): Promise<Page<UnitRow>> {
  const { search, propertyId, status, unitType, bedroomsMin, vacantAsOf } = query;
  const day = today(db.principal.timezone);
  return listPage<UnitRow>(db, query, {
    select: columns(day),
    from: unitWithProperty,
    table: "u",
    totalName: "unit",
    where: [
      ...listConditions(db, "u", query),
      search !== undefined && sql`(u.id in ${foundIds(db, "unit", search, ["unit_number"])} or u.property_id in ${foundIds(db, "property", search, ["name"])})`,
      propertyId !== undefined && sql`u.property_id = ${propertyId}`,
      status && hasUnitStatusOn(day, status),
      unitType !== undefined && sql`u.unit_type = any(${unitType})`,
      bedroomsMin !== undefined && sql`u.bedrooms >= ${bedroomsMin}`,
      vacantAsOf !== undefined && isVacantAsOf(vacantAsOf),
    ],
    sorts: {
      unitNumber: sql`u.unit_number`,
      propertyName: sql`p.name`,
      monthlyRentCents: sql`u.monthly_rent_cents`,
      status: unitStatusOn(day),
      createdAt: sql`u.created_at`,
    },
  });
}
