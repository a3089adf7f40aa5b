CREATE OR REPLACE FUNCTION public.portal_units(portal_user text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1 ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    select u.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join unit u on u.organization_id = o.organization_id and u.property_id = o.property_id
      where portal.role = 'owner'
    union
    select l.unit_id from portal cross join portal_leases(portal_user) reached join lease l on l.organization_id = portal.organization_id and l.id = reached
    union
    select unnest(r.stall_unit_ids) from portal cross join portal_leases(portal_user) reached
      join parking_right r on r.organization_id = portal.organization_id and r.lease_id = reached
    union
    select w.unit_id from portal cross join portal_work_orders(portal_user) reached
      join work_order w on w.organization_id = portal.organization_id and w.id = reached where w.unit_id is not null $function$;
