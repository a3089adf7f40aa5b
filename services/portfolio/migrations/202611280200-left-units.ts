import { Migration } from "@mikro-orm/migrations";

/** First day of the next lease of the unit of the lease `l`. */
const nextStart = `(select min(later.start_date) from lease later where later.organization_id = l.organization_id and later.unit_id = l.unit_id and later.id <> l.id
      and later.deleted_at is null and later.start_date > l.start_date and later.status not in ('draft', 'cancelled')
      and (later.status <> 'terminated' or later.termination_date > later.start_date or later.renewed_from_lease_id is not null))`;

/** Condition that the occupant `c` of the lease `l` is or was a resident. */
const isResident = `c.removed_at is null and l.deleted_at is null and l.status not in ('draft', 'cancelled') and c.role <> 'guarantor'`;

/**
 * A person who was removed from the only lease of a unit, or whose only lease of it was cancelled or deleted, has left the unit: on the day
 * before that in UTC, since the day itself has not begun everywhere. A tenant who never had a lease of the unit has not left it.
 */
export class LeftUnits extends Migration {
  override up(): void {
    this.addSql(`create or replace function released_from_unit_on(unit uuid, tenant uuid) returns date
      language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 as $$
      select nullif(coalesce(
          max(least(coalesce(c.released_on, 'infinity'), coalesce(l.superseded_from, 'infinity'),
            case when l.status = 'expired' then coalesce(${nextStart}, 'infinity') else 'infinity' end)) filter (where ${isResident}),
          max((coalesce(c.removed_at, l.deleted_at, l.updated_at) at time zone 'UTC')::date - 1)
            filter (where c.role <> 'guarantor' and (c.removed_at is not null or l.deleted_at is not null or l.status = 'cancelled'))), 'infinity')
        from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
        where c.organization_id = current_organization() and c.tenant_id = tenant and l.unit_id = unit
          and not (l.status = 'draft' and l.deleted_at is null and c.removed_at is null) $$`);
  }
}
