CREATE OR REPLACE FUNCTION public.portal_vendors(portal_user text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1 ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    select portal.subject_id from portal where portal.role = 'vendor'
    union
    select w.vendor_id from portal cross join portal_work_orders(portal_user) reached
      join work_order w on w.organization_id = portal.organization_id and w.id = reached where portal.role <> 'vendor' and w.vendor_id is not null
    union
    select e.vendor_id from portal cross join portal_work_orders(portal_user) reached
      join work_order_estimate e on e.organization_id = portal.organization_id and e.work_order_id = reached where portal.role = 'owner' and e.vendor_id is not null $function$;
