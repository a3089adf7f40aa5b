/** Occupancy of units, derived from who lives there instead of lease statuses. */
import type { Unit } from "@freehold/contract/properties/units";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { hasHeldUnit, isFollowed, lastDayOf, occupancyCondition } from "../../leases/residence.queries.ts";

type UnitStatus = Unit["status"];

/** Last day of the term of the lease `l`; null for one that continues, as with rollover if no other lease follows in the unit. */
const lastDayOfTerm = sql`case when l.term_type = 'fixed' or (l.term_type = 'fixed_with_rollover' and ${isFollowed}) then l.end_date end`;

const fromOccupantsOn = (
  day: string,
): RawBuilder<unknown> => sql`from lease l join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id
  where l.organization_id = u.organization_id and l.unit_id = u.id and ${occupancyCondition(day)}`;

/** Returns the condition that somebody lives in the unit `u` on a day. */
export const isOccupiedOn = (day: string): RawBuilder<boolean> => sql`exists (select 1 ${fromOccupantsOn(day)})`;

/** Condition that the unit `u` has or had a lease. Without one, its declared status applies. */
const hasBeenLeased = sql`exists (select 1 from lease l where l.organization_id = u.organization_id and l.unit_id = u.id and l.deleted_at is null
  and l.status not in ('draft', 'cancelled'))`;

/** Returns the SQL of the status of the unit `u` on a day. */
export const unitStatusOn = (day: string): RawBuilder<string> => sql`case when u.status = 'maintenance' then u.status when not ${hasBeenLeased} then u.status
  when ${isOccupiedOn(day)} then 'occupied' else 'vacant' end`;

/** Returns the condition that the unit `u` has one of the statuses on a day. A condition per status reads fewer rows than a comparison with `unitStatusOn`. */
export function hasUnitStatusOn(day: string, statuses: readonly UnitStatus[]): RawBuilder<boolean> {
  const conditions = {
    maintenance: sql`u.status = 'maintenance'`,
    occupied: sql`(u.status <> 'maintenance' and (${isOccupiedOn(day)} or (u.status = 'occupied' and not ${hasBeenLeased})))`,
    vacant: sql`(u.status <> 'maintenance' and not ${isOccupiedOn(day)} and (u.status = 'vacant' or ${hasBeenLeased}))`,
  };
  return sql`(${sql.join(
    statuses.map((status) => conditions[status]),
    sql` or `,
  )})`;
}

/** Returns the SQL of the id of the lease of the unit `u` that is in force on a day: active, or terminated while somebody still lives there. */
export const currentLeaseIdOn = (
  day: string,
): RawBuilder<string | null> => sql`(select l.id from lease l where l.organization_id = u.organization_id and l.unit_id = u.id
  and l.deleted_at is null and l.start_date <= ${day}::date and (l.status = 'active' or l.status = 'terminated' and exists (select from lease_occupant c
    where c.organization_id = l.organization_id and c.lease_id = l.id and ${occupancyCondition(day)}))
  order by l.start_date desc, l.id desc limit 1)`;

/** SQL of the leases of the unit `u` that have begun, without those made by mistake, with their start and last day as JSON, latest start first. */
export const begunLeases = sql`(select coalesce(json_agg(json_build_object('leaseId', l.id, 'startDate', l.start_date, 'lastDay', ${lastDayOf("l")})
    order by l.start_date desc, l.id desc), '[]'::json)
  from lease l where l.organization_id = u.organization_id and l.unit_id = u.id and l.deleted_at is null and l.status in ('active', 'expired', 'terminated', 'renewed')
    and (l.status <> 'terminated' or ${hasHeldUnit("l")}))`;

/** Condition that the lease `l` is not expected to have ended by a day: those who live there under an ended lease stay until they are released. */
const goesOnUntil = (day: string): RawBuilder<unknown> => sql`(l.status not in ('active', 'pending') or coalesce(${lastDayOfTerm} >= ${day}::date, true))`;

/** Returns the condition that the unit `u` is vacant on a day, which may be in the future. */
export const isVacantAsOf = (
  day: string,
): RawBuilder<boolean> => sql`(${hasBeenLeased} or u.status <> 'occupied') and not exists (select 1 ${fromOccupantsOn(day)} and ${goesOnUntil(day)}) and not exists (
  select 1 from lease l where l.organization_id = u.organization_id and l.unit_id = u.id and l.deleted_at is null and l.start_date <= ${day}::date
    and case l.status
      when 'terminated' then l.termination_date >= ${day}::date and ${hasHeldUnit("l")}
      when 'renewed' then l.superseded_from > ${day}::date
      when 'expired' then l.end_date >= ${day}::date
      when 'draft' then false
      when 'cancelled' then false
      else coalesce(coalesce(l.superseded_from - 1, ${lastDayOfTerm}) >= ${day}::date, true)
    end)`;
