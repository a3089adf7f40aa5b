/** What a dashboard counts, in sets: thousands of units are not asked one by one. */
import type { Dashboard } from "@freehold/contract/overview/dashboard";
import { addDays } from "@freehold/kit/time/plain-date";
import { pipeline } from "@freehold/kit/db/pipeline";
import { translateDatabaseError } from "@freehold/kit/db/database-error";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { occupancyCondition } from "../../properties/units/occupancy.queries.ts";

interface Asked {
  asOf: string;
  propertyId: string | undefined;
}

type Occupancy = Pick<Dashboard["occupancy"], "units" | "occupied" | "notice">;
type Declared = { id: string; units: number; occupied: number };

const within = (column: string, { propertyId }: Asked): RawBuilder<unknown> => (propertyId === undefined ? sql`true` : sql`${sql.ref(column)} = ${propertyId}`);

/** Units, and those where somebody lives, as each property says of itself; and those whose people were given notice on. */
export async function countUnits(db: OrgDb, asked: Asked): Promise<Occupancy> {
  const [properties, built, homes] = await Promise.all([
    db.all(sql<Declared>`select p.id, p.units, p.occupied_units as occupied from property p
      where p.organization_id = ${db.organizationId} and p.deleted_at is null and ${within("p.id", asked)}`),
    db.all(sql<{ id: string; units: number }>`select u.property_id as id, count(*) as units from unit u
      where u.organization_id = ${db.organizationId} and u.deleted_at is null and ${within("u.property_id", asked)} group by u.property_id`),
    plannedFor(
      db,
      sql<{ id: string; occupied: number; noticed: number }>`select property_id as id, count(*) as occupied, count(*) filter (where is_noticed) as noticed
      from (select l.property_id, l.unit_id, bool_or(l.status = 'active' and l.notice_given_on <= ${asked.asOf}::date) as is_noticed
        from lease l join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id
        where l.organization_id = ${db.organizationId} and ${within("l.property_id", asked)} and ${occupancyCondition(asked.asOf)} group by l.property_id, l.unit_id) home
      group by property_id`,
    ),
  ]);
  const [builtIn, homesIn] = [new Map(built.map((row) => [row.id, row])), new Map(homes.map((row) => [row.id, row]))];
  const counted = properties.map(({ id, units, occupied }) => {
    const rows = builtIn.get(id)?.units ?? 0;
    const { occupied: livedIn = 0, noticed = 0 } = homesIn.get(id) ?? {};
    return { units: Math.max(units, rows), occupied: rows > 0 ? livedIn : occupied, notice: noticed };
  });
  const sum = (figure: keyof Occupancy) => counted.reduce((total, property) => total + property[figure], 0);
  return { units: sum("units"), occupied: sum("occupied"), notice: sum("notice") };
}

/**
 * A statement planned for the organization that asks, and with memory for it: a join of all that a large one has is no
 * loop over its rows, as it would be for one of average size.
 */
async function plannedFor<R>(db: OrgDb, query: RawBuilder<R>): Promise<R[]> {
  try {
    return await pipeline(
      db,
      async (tx) => (await tx.send(sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '16MB', true)`, query))[1],
    );
  } catch (error) {
    throw translateDatabaseError(error, db.database.constraints);
  }
}

/** Active leases whose last day comes within so many days, and that nothing follows. */
export async function countExpiring(db: OrgDb, asked: Asked): Promise<Dashboard["leasesExpiring"]> {
  const by = (days: number) => sql`count(*) filter (where l.end_date <= ${addDays(asked.asOf, days)}::date)`;
  const row = await db.first(sql<Dashboard["leasesExpiring"]>`select ${by(30)} as within30, ${by(60)} as within60, ${by(90)} as within90 from lease l
    where l.organization_id = ${db.organizationId} and l.end_date between ${asked.asOf}::date and ${addDays(asked.asOf, 90)}::date
      and l.status = 'active' and l.term_type <> 'month_to_month' and l.deleted_at is null and l.superseded_from is null and ${within("l.property_id", asked)}`);
  return row!;
}

/** Work that is to be done, what of it is late, and for how many days it has waited on average. */
export async function countWorkOrders(db: OrgDb, asked: Asked): Promise<Dashboard["workOrders"]> {
  const row = await db.first(sql<
    Dashboard["workOrders"]
  >`select count(*) filter (where w.status = 'open') as open, count(*) filter (where w.status = 'in_progress') as in_progress,
      count(*) filter (where w.due_on < ${asked.asOf}::date) as overdue,
      coalesce(round(avg(greatest(${asked.asOf}::date - (w.requested_at at time zone ${db.principal.timezone}::text)::date, 0)), 1), 0)::float8 as avg_days_open
    from work_order w where w.organization_id = ${db.organizationId} and w.status in ('open', 'in_progress') and ${within("w.property_id", asked)}`);
  return row!;
}
