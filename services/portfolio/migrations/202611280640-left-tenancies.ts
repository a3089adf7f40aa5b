import { Migration } from "@mikro-orm/migrations";

/** Condition that the occupant `c` stayed until the lease `l` ended: until its termination, or as one of the last tenants of an expired lease. */
const hasStayed = `case l.status when 'terminated' then c.released_on >= l.termination_date
          when 'expired' then c.released_on >= l.end_date and not exists (select from lease_occupant other
            where other.organization_id = c.organization_id and other.lease_id = c.lease_id and other.id <> c.id and other.role in ('primary', 'co_tenant')
              and other.removed_at is null and (other.released_on is null or other.released_on > c.released_on)) else false end`;

/** Day of the release of the tenant from the lease `l`: `infinity` for one who was not released or stayed until its end, null for who is no tenant of it. */
const released = `(select max(case when ${hasStayed} then 'infinity' else coalesce(c.released_on, 'infinity') end) as released_on
        from lease_occupant c where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = tenant and c.role in ('primary', 'co_tenant') and c.removed_at is null)`;

/**
 * A tenant reads a lease that was renewed as long as the tenant is one of the renewal: until the release from it, or until it takes over
 * without the tenant.
 */
export class LeftTenancies extends Migration {
  override up(): void {
    this.addSql(`create or replace function left_tenancy_on(lease_id uuid, tenant uuid, day date) returns date
      language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 as $$
      with recursive tenancy as (
        select 0 as depth, l.renewed_to_lease_id, coalesce(l.superseded_from, 'infinity') as superseded_from, released.released_on
          from lease l cross join lateral ${released} released
          where l.organization_id = current_organization() and l.id = left_tenancy_on.lease_id
        union all
        select depth + 1, l.renewed_to_lease_id, coalesce(l.superseded_from, 'infinity'), released.released_on
          from tenancy join lease l on l.organization_id = current_organization() and l.id = tenancy.renewed_to_lease_id cross join lateral ${released} released
          where tenancy.superseded_from <= day and tenancy.released_on > tenancy.superseded_from and released.released_on is not null
      )
      select nullif(least(released_on, case when superseded_from <= day then superseded_from end), 'infinity') from tenancy order by depth desc limit 1 $$`);
    this.addSql(`create or replace function portal_leases(portal_user text) returns setof uuid
      language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 rows 10 as $$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    select l.id from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where portal.role = 'tenant' and c.role in ('primary', 'co_tenant') and c.removed_at is null and l.deleted_at is null and l.status not in ('draft', 'cancelled')
        and coalesce(left_tenancy_on(l.id, c.tenant_id, portal.today) > portal.today, true)
    union
    select l.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join lease l on l.organization_id = o.organization_id and l.property_id = o.property_id
      where portal.role = 'owner' and l.status not in ('draft', 'cancelled') and l.deleted_at is null $$`);
    this.addSql(`create or replace function portal_shared_records(portal_user text) returns table (entity_type text, entity_id uuid, shared_before timestamptz)
      language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 rows 10 as $$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    , tenancy as (
      select l.id, l.property_id, l.unit_id,
        left_tenancy_on(l.id, c.tenant_id, portal.today)::timestamp at time zone split_part(portal_user, ':', 5) as shared_before,
        coalesce(c.move_in_date, l.start_date) <= portal.today and (l.renewed_from_lease_id is null or l.start_date <= portal.today) and (c.released_on is null or c.released_on > portal.today)
          and (c.move_out_date is null or c.move_out_date > portal.today) and (l.superseded_from is null or l.superseded_from > portal.today)
          and (l.status <> 'expired' or coalesce((select min(later.start_date) from lease later where later.organization_id = l.organization_id and later.unit_id = l.unit_id and later.id <> l.id
      and later.deleted_at is null and later.start_date > l.start_date and later.status not in ('draft', 'cancelled')
      and (later.status <> 'terminated' or later.termination_date > later.start_date or later.renewed_from_lease_id is not null)) > portal.today, true)) as is_resident
      from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where portal.role = 'tenant' and c.role in ('primary', 'co_tenant') and c.removed_at is null and l.deleted_at is null and l.status not in ('draft', 'cancelled')
    ), owned as (
      select p.organization_id, p.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join property p on p.organization_id = o.organization_id and p.id = o.property_id where portal.role = 'owner' and p.deleted_at is null
    )
    select role, subject_id, null::timestamptz from portal
    union select 'work_order', work_order_id, reads_until from portal_work_order_spans(portal_user)
    union select 'lease', id, shared_before from tenancy
    union select 'unit', unit_id, null from tenancy where is_resident
    union select 'property', property_id, null from tenancy where is_resident
    union select 'property', id, null from owned
    union select 'unit', u.id, null from owned join unit u on u.organization_id = owned.organization_id and u.property_id = owned.id where u.deleted_at is null
    union select 'lease', reached, null from portal cross join portal_leases(portal_user) reached where portal.role = 'owner' $$`);
  }
}
