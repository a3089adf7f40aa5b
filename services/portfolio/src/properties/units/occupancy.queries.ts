/**
 * Occupancy of units, derived from occupants instead of lease statuses. An occupant lives in the unit from the move-in until
 * the move-out, the release or the day on which a renewal takes over, under any lease that was activated and neither cancelled nor
 * deleted. Guarantors do not count.
 */
import type { Unit } from "@freehold/contract/properties/units";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

type UnitStatus = Unit["status"];

/** Returns the condition that the occupant `c` of the lease `l` lives in the unit on a day. */
export const occupancyCondition = (day: string): RawBuilder<unknown> => sql`l.deleted_at is null and l.status not in ('draft', 'cancelled')
    and c.role <> 'guarantor' and c.removed_at is null and (c.released_on is null or c.released_on > ${day}::date)
    and (c.move_out_date is null or c.move_out_date > ${day}::date) and (l.superseded_from is null or l.superseded_from > ${day}::date)
    and coalesce(c.move_in_date, l.start_date) <= ${day}::date`;

/** Returns the condition that a terminated lease has held its unit: one terminated on its first day, unless it is a renewal, was made by mistake. */
export const hasHeldUnit = (lease: string): RawBuilder<unknown> =>
  sql`(${sql.ref(`${lease}.termination_date`)} > ${sql.ref(`${lease}.start_date`)} or ${sql.ref(`${lease}.renewed_from_lease_id`)} is not null)`;

/** Condition that another lease of the unit starts later than the lease `l`, also one that has ended since. */
export const isFollowed = sql`exists (select from lease later where later.organization_id = l.organization_id and later.unit_id = l.unit_id and later.id <> l.id
  and later.deleted_at is null and later.start_date > l.start_date and later.status not in ('draft', 'cancelled')
  and (later.status <> 'terminated' or ${hasHeldUnit("later")}))`;

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

/** Returns the SQL of the id of the lease of the unit `u` that is active on a day. */
export const currentLeaseIdOn = (
  day: string,
): RawBuilder<string | null> => sql`(select l.id from lease l where l.organization_id = u.organization_id and l.unit_id = u.id
  and l.deleted_at is null and l.status = 'active' and l.start_date <= ${day}::date order by l.start_date desc, l.id desc limit 1)`;

/** Last day on which the lease `l` holds its unit; null for one that goes on until it is terminated. */
const lastDayOfLease = sql`case l.status when 'terminated' then l.termination_date when 'expired' then l.end_date
  else least(l.superseded_from - 1, case when l.term_type = 'fixed' then l.end_date end) end`;

/** SQL of the leases of the unit `u` that have begun, with their start and last day as JSON, latest start first. */
export const begunLeases = sql`(select coalesce(json_agg(json_build_object('leaseId', l.id, 'startDate', l.start_date, 'lastDay', ${lastDayOfLease})
    order by l.start_date desc, l.id desc), '[]'::json)
  from lease l where l.organization_id = u.organization_id and l.unit_id = u.id and l.deleted_at is null and l.status in ('active', 'expired', 'terminated', 'renewed'))`;

/** Returns the condition that the unit `u` is vacant on a day, which may be in the future. */
export const isVacantAsOf = (day: string): RawBuilder<boolean> => sql`(${hasBeenLeased} or u.status <> 'occupied') and not ${isOccupiedOn(day)} and not exists (
  select 1 from lease l where l.organization_id = u.organization_id and l.unit_id = u.id and l.deleted_at is null and l.start_date <= ${day}::date
    and case l.status
      when 'terminated' then l.termination_date >= ${day}::date and ${hasHeldUnit("l")}
      when 'renewed' then l.superseded_from > ${day}::date
      when 'expired' then l.end_date >= ${day}::date
      when 'draft' then false
      when 'cancelled' then false
      else coalesce(coalesce(l.superseded_from - 1, ${lastDayOfTerm}) >= ${day}::date, true)
    end)`;
