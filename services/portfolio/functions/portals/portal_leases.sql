CREATE OR REPLACE FUNCTION public.portal_leases(portal_user text)
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
      where portal.role = 'owner' and l.status not in ('draft', 'cancelled') and l.deleted_at is null $function$;
