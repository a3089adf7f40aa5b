/** Counts of the dashboard, in set-based statements whose number does not depend on the number of units. */
import type { Dashboard } from "@freehold/contract/overview/dashboard";
import { addDays } from "@freehold/kit/time/plain-date";
import { allWithCustomPlan, type OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { isExpiring } from "../../leases/leases.queries.ts";
import { unfinishedCondition } from "../../maintenance/work-orders/work-orders.queries.ts";
import { occupancyCondition } from "../../leases/residence.queries.ts";

interface DashboardFilters {
  asOf: string;
  propertyId: string | undefined;
}

type Occupancy = Pick<Dashboard["occupancy"], "units" | "occupied" | "notice">;
type DeclaredUnits = { id: string; units: number; occupied: number };

const inProperty = (column: string, { propertyId }: DashboardFilters): RawBuilder<unknown> =>
  propertyId === undefined ? sql`true` : sql`${sql.ref(column)} = ${propertyId}`;

/**
 * Counts units, occupied units and units under notice. The units of a property are its unit rows, or its declared number if
 * that is higher; the occupied units are derived from leases, or are the declared number if the property has no unit rows. Units that
 * were deleted since `asOf` do not count.
 */
export async function countUnits(db: OrgDb, filters: DashboardFilters): Promise<Occupancy> {
  const [properties, unitCounts, occupancies] = await Promise.all([
    db.all(sql<DeclaredUnits>`select p.id, p.units, p.occupied_units as occupied from property p
      where p.organization_id = ${db.organizationId} and p.deleted_at is null and ${inProperty("p.id", filters)}`),
    db.all(sql<{ id: string; units: number }>`select u.property_id as id, count(*) as units from unit u
      where u.organization_id = ${db.organizationId} and u.deleted_at is null and ${inProperty("u.property_id", filters)} group by u.property_id`),
    allWithCustomPlan(
      db,
      sql<{ id: string; occupied: number; noticed: number }>`select property_id as id, count(*) as occupied, count(*) filter (where is_noticed) as noticed
      from (select l.property_id, l.unit_id, bool_or(l.status = 'active' and l.notice_given_on <= ${filters.asOf}::date) as is_noticed
        from lease l join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id
          join unit u on u.organization_id = l.organization_id and u.id = l.unit_id and u.deleted_at is null
        where l.organization_id = ${db.organizationId} and ${inProperty("l.property_id", filters)} and ${occupancyCondition(filters.asOf)} group by l.property_id, l.unit_id) occupied_unit
      group by property_id`,
    ),
  ]);
  const [unitsByProperty, occupancyByProperty] = [new Map(unitCounts.map((row) => [row.id, row])), new Map(occupancies.map((row) => [row.id, row]))];
  const counts = properties.map(({ id, units, occupied }) => {
    const unitRows = unitsByProperty.get(id)?.units ?? 0;
    const { occupied: occupiedUnits = 0, noticed = 0 } = occupancyByProperty.get(id) ?? {};
    return { units: Math.max(units, unitRows), occupied: unitRows > 0 ? occupiedUnits : occupied, notice: noticed };
  });
  const sum = (key: keyof Occupancy) => counts.reduce((total, property) => total + property[key], 0);
  return { units: sum("units"), occupied: sum("occupied"), notice: sum("notice") };
}

/** Counts active leases that end within 30, 60 and 90 days and have no activated renewal. */
export async function countExpiring(db: OrgDb, filters: DashboardFilters): Promise<Dashboard["leasesExpiring"]> {
  const endsWithin = (days: number) => sql`count(*) filter (where l.end_date <= ${addDays(filters.asOf, days)}::date)`;
  const row = await db.first(sql<
    Dashboard["leasesExpiring"]
  >`select ${endsWithin(30)} as within30, ${endsWithin(60)} as within60, ${endsWithin(90)} as within90 from lease l
    where l.organization_id = ${db.organizationId} and l.end_date between ${filters.asOf}::date and ${addDays(filters.asOf, 90)}::date
      and ${isExpiring} and l.deleted_at is null and ${inProperty("l.property_id", filters)}`);
  return row!;
}

/** Counts open, started and overdue work orders, with their average age in days. */
export async function countWorkOrders(db: OrgDb, filters: DashboardFilters): Promise<Dashboard["workOrders"]> {
  const row = await db.first(sql<
    Dashboard["workOrders"]
  >`select count(*) filter (where w.status = 'open') as open, count(*) filter (where w.status = 'in_progress') as in_progress,
      count(*) filter (where w.due_on < ${filters.asOf}::date) as overdue,
      coalesce(round(avg(greatest(${filters.asOf}::date - (w.requested_at at time zone ${db.principal.timezone}::text)::date, 0)), 1), 0)::float8 as avg_days_open
    from work_order w where w.organization_id = ${db.organizationId} and ${unfinishedCondition} and ${inProperty("w.property_id", filters)}`);
  return row!;
}
