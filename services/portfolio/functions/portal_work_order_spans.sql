CREATE OR REPLACE FUNCTION public.portal_work_order_spans(portal_user text)
 RETURNS TABLE(work_order_id uuid, reads_from timestamp with time zone, reads_until timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1 ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    select w.id, w.vendor_replaced_at, null::timestamptz
      from portal join work_order w on w.organization_id = portal.organization_id and w.vendor_id = portal.subject_id where portal.role = 'vendor'
    union
    select w.id, w.tenant_replaced_at, released_from_unit_on(w.unit_id, w.tenant_id)::timestamp at time zone split_part(portal_user, ':', 5)
      from portal join work_order w on w.organization_id = portal.organization_id and w.tenant_id = portal.subject_id
      where portal.role = 'tenant' and is_shown_to_tenant(w.source, w.visibility)
    union
    select w.id, null, null from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join work_order w on w.organization_id = o.organization_id and w.property_id = o.property_id
      where portal.role = 'owner' $function$;
