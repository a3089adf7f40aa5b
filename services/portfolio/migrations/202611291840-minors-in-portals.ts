import { Migration } from "@mikro-orm/migrations";

/** Minors with the role of a co-tenant read nothing of the lease in the portal. */
export class MinorsInPortals extends Migration {
  override up(): void {
    this.addSql(`CREATE OR REPLACE FUNCTION public.portal_leases(portal_user text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1 ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    select l.id from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where portal.role = 'tenant' and c.role in ('primary', 'co_tenant') and c.removed_at is null and (c.role = 'primary' or not exists (select from tenant minor where minor.organization_id = c.organization_id and minor.id = c.tenant_id and minor.date_of_birth + interval '18 years' > portal.today)) and l.deleted_at is null and l.status not in ('draft', 'cancelled')
        and coalesce(left_tenancy_on(l.id, c.tenant_id, portal.today) > portal.today, true)
    union
    select l.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join lease l on l.organization_id = o.organization_id and l.property_id = o.property_id
      where portal.role = 'owner' and l.status not in ('draft', 'cancelled') and l.deleted_at is null $function$`);
    this.addSql(`CREATE OR REPLACE FUNCTION public.portal_shared_records(portal_user text)
 RETURNS TABLE(entity_type text, entity_id uuid, shared_before timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1 ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    , tenancy as (
      select l.id, l.property_id, l.unit_id,
        case when left_on is not null then greatest(left_on::timestamp at time zone timezone,
          least(coalesce((select max(r.released_at) from lease_occupant r join lease rl on rl.organization_id = r.organization_id and rl.id = r.lease_id
              where r.organization_id = c.organization_id and r.tenant_id = c.tenant_id and r.released_on = left_on and r.removed_at is null and rl.unit_id = l.unit_id),
            left_on::timestamp at time zone timezone), (left_on + 1)::timestamp at time zone timezone - interval '1 millisecond')) end as shared_before,
        left_on <= portal.today and coalesce(c.move_in_date, l.start_date) <= left_on as has_left,
        coalesce(c.move_in_date, l.start_date) <= portal.today and (l.renewed_from_lease_id is null or l.start_date <= portal.today) and (c.released_on is null or c.released_on > portal.today)
          and (c.move_out_date is null or c.move_out_date > portal.today) and (l.superseded_from is null or l.superseded_from > portal.today)
          and (l.status <> 'expired' or coalesce((select min(later.start_date) from lease later where later.organization_id = l.organization_id and later.unit_id = l.unit_id and later.id <> l.id
      and later.deleted_at is null and later.start_date > l.start_date and later.status not in ('draft', 'cancelled')
      and (later.status <> 'terminated' or later.termination_date > later.start_date or later.renewed_from_lease_id is not null)) > portal.today, true)) as is_resident
      from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
        cross join lateral (select left_tenancy_on(l.id, c.tenant_id, portal.today) as left_on, split_part(portal_user, ':', 5) as timezone) departure
      where portal.role = 'tenant' and c.role in ('primary', 'co_tenant') and c.removed_at is null and (c.role = 'primary' or not exists (select from tenant minor where minor.organization_id = c.organization_id and minor.id = c.tenant_id and minor.date_of_birth + interval '18 years' > portal.today)) and l.deleted_at is null and l.status not in ('draft', 'cancelled')
    ), owned as (
      select p.organization_id, p.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join property p on p.organization_id = o.organization_id and p.id = o.property_id where portal.role = 'owner' and p.deleted_at is null
    )
    select role, subject_id, null::timestamptz from portal
    union select 'work_order', work_order_id, reads_until from portal_work_order_spans(portal_user)
    union select 'lease', id, shared_before from tenancy
    union select 'unit', unit_id, null from tenancy where is_resident
    union select 'property', property_id, null from tenancy where is_resident
    union select 'unit', unit_id, shared_before from tenancy where has_left
    union select 'property', property_id, shared_before from tenancy where has_left
    union select 'property', id, null from owned
    union select 'unit', u.id, null from owned join unit u on u.organization_id = owned.organization_id and u.property_id = owned.id where u.deleted_at is null
    union select 'lease', reached, null from portal cross join portal_leases(portal_user) reached where portal.role = 'owner' $function$`);
  }
}
