/**
 * Who lives in a unit. Occupancy comes from people, not from a lease's status: somebody who has moved in, and neither
 * out nor was released, under a lease that is in force, has run out, or ends on a later day, and that no other one has
 * followed yet. Who only vouches does not live there.
 */
import type { Unit } from "@freehold/contract/units";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

type UnitStatus = Unit["status"];

/** A condition on a lease `l` and one of its people `c`: that a day finds them there. */
export const livesThere = (day: string): RawBuilder<unknown> => sql`l.deleted_at is null and l.status in ('active', 'expired', 'terminated')
    and c.role <> 'guarantor' and c.removed_at is null and (c.released_on is null or c.released_on > ${day}::date)
    and (c.move_out_date is null or c.move_out_date > ${day}::date) and (l.superseded_from is null or l.superseded_from > ${day}::date)
    and coalesce(c.move_in_date, l.start_date) <= ${day}::date`;

/** The leases and people of the unit `u` whom a day finds there. */
const peopleThere = (day: string): RawBuilder<unknown> => sql`from lease l join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id
  where l.organization_id = u.organization_id and l.unit_id = u.id and ${livesThere(day)}`;

/** Whether somebody lives in the unit `u` on a day. */
export const isOccupied = (day: string): RawBuilder<boolean> => sql`exists (select 1 ${peopleThere(day)})`;

/** Whether the unit `u` has ever been let; before that its declared status stands. */
const wasLet = sql`exists (select 1 from lease l where l.organization_id = u.organization_id and l.unit_id = u.id and l.deleted_at is null
  and l.status not in ('draft', 'cancelled'))`;

/** The status of the unit `u` on a day. */
export const statusOn = (day: string): RawBuilder<string> => sql`case when u.status = 'maintenance' then u.status when not ${wasLet} then u.status
  when ${isOccupied(day)} then 'occupied' else 'vacant' end`;

/** Whether the unit `u` has one of these statuses on a day; each says for itself what it looks at, which is less than the status as such. */
export function hasStatusOn(day: string, statuses: readonly UnitStatus[]): RawBuilder<boolean> {
  const conditions = {
    maintenance: sql`u.status = 'maintenance'`,
    occupied: sql`(u.status <> 'maintenance' and (${isOccupied(day)} or (u.status = 'occupied' and not ${wasLet})))`,
    vacant: sql`(u.status <> 'maintenance' and not ${isOccupied(day)} and (u.status = 'vacant' or ${wasLet}))`,
  };
  return sql`(${sql.join(
    statuses.map((status) => conditions[status]),
    sql` or `,
  )})`;
}

/** The lease of the unit `u` that is active on a day. */
export const currentLease = (
  day: string,
): RawBuilder<string | null> => sql`(select l.id from lease l where l.organization_id = u.organization_id and l.unit_id = u.id
  and l.deleted_at is null and l.status = 'active' and l.start_date <= ${day}::date order by l.start_date desc, l.id desc limit 1)`;

/** Whether the unit `u` is free on a day, future leases considered. */
export const isVacantAsOf = (day: string): RawBuilder<boolean> => sql`(${wasLet} or u.status <> 'occupied') and not ${isOccupied(day)} and not exists (
  select 1 from lease l where l.organization_id = u.organization_id and l.unit_id = u.id and l.deleted_at is null and l.start_date <= ${day}::date
    and case l.status
      when 'terminated' then l.termination_date > ${day}::date
      when 'renewed' then l.superseded_from > ${day}::date
      when 'expired' then l.end_date >= ${day}::date
      when 'draft' then false
      when 'cancelled' then false
      else coalesce(coalesce(l.superseded_from - 1, case when l.term_type = 'fixed' then l.end_date end) >= ${day}::date, true)
    end)`;
