import { Migration } from "@mikro-orm/migrations";

/** Condition that the occupant `c` stayed until the lease `l` ended: until its termination, or as one of the last tenants of an expired lease. */
const hasStayed = `case l.status when 'terminated' then c.released_on >= l.termination_date
          when 'expired' then c.released_on >= l.end_date and not exists (select from lease_occupant other
            where other.organization_id = c.organization_id and other.lease_id = c.lease_id and other.id <> c.id and other.role in ('primary', 'co_tenant')
              and other.removed_at is null and (other.released_on is null or other.released_on > c.released_on)) else false end`;

/** First day of the next lease of the unit of the lease `l`. */
const nextStart = `(select min(later.start_date) from lease later where later.organization_id = l.organization_id and later.unit_id = l.unit_id and later.id <> l.id
      and later.deleted_at is null and later.start_date > l.start_date and later.status not in ('draft', 'cancelled')
      and (later.status <> 'terminated' or later.termination_date > later.start_date or later.renewed_from_lease_id is not null))`;

const functionSql = (name: string, result: string, body: string): string => `
  create or replace function ${name}(portal_user text) returns ${result} language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 rows 10 as $$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    ${body} $$`;

const functions = [
  `create or replace function released_from_unit_on(unit uuid, tenant uuid) returns date
    language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 as $$
    select nullif(max(least(coalesce(c.released_on, 'infinity'), coalesce(l.superseded_from, 'infinity'),
        case when l.status = 'expired' then coalesce(${nextStart}, 'infinity') else 'infinity' end)), 'infinity')
      from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where c.organization_id = current_organization() and c.tenant_id = tenant and c.removed_at is null and l.unit_id = unit
        and l.deleted_at is null and l.status not in ('draft', 'cancelled') $$`,
  functionSql(
    "portal_leases",
    "setof uuid",
    `select l.id from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where portal.role = 'tenant' and c.role in ('primary', 'co_tenant') and c.removed_at is null and l.deleted_at is null and l.status not in ('draft', 'cancelled')
        and (c.released_on is null or c.released_on > portal.today or ${hasStayed})
    union
    select l.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join lease l on l.organization_id = o.organization_id and l.property_id = o.property_id
      where portal.role = 'owner' and l.status not in ('draft', 'cancelled') and l.deleted_at is null`,
  ),
  functionSql(
    "portal_shared_records",
    "table (entity_type text, entity_id uuid, shared_before timestamptz)",
    `, tenancy as (
      select l.id, l.property_id, l.unit_id,
        case when not ${hasStayed} then c.released_on::timestamp at time zone split_part(portal_user, ':', 5) end as shared_before,
        coalesce(c.move_in_date, l.start_date) <= portal.today and (l.renewed_from_lease_id is null or l.start_date <= portal.today) and (c.released_on is null or c.released_on > portal.today)
          and (c.move_out_date is null or c.move_out_date > portal.today) and (l.superseded_from is null or l.superseded_from > portal.today)
          and (l.status <> 'expired' or coalesce(${nextStart} > portal.today, true)) as is_resident
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
    union select 'lease', reached, null from portal cross join portal_leases(portal_user) reached where portal.role = 'owner'`,
  ),
];

/**
 * A tenant who stayed until the end of an expired lease reads it after the release. Nobody lives in a unit under a renewal before its
 * start, nor under an expired lease once the next one has started.
 */
export class Residence extends Migration {
  override up(): void {
    for (const statement of functions) this.addSql(statement);
  }
}
