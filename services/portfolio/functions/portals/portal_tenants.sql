CREATE OR REPLACE FUNCTION public.portal_tenants(portal_user text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1 ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    select portal.subject_id from portal where portal.role = 'tenant'
    union
    select l.tenant_id from portal cross join portal_leases(portal_user) reached join lease l on l.organization_id = portal.organization_id and l.id = reached
    union
    select c.tenant_id from portal cross join portal_leases(portal_user) reached
      join lease_occupant c on c.organization_id = portal.organization_id and c.lease_id = reached where c.tenant_id is not null
    union
    select w.tenant_id from portal cross join portal_work_orders(portal_user) reached
      join work_order w on w.organization_id = portal.organization_id and w.id = reached where portal.role = 'vendor' and w.tenant_id is not null $function$;
