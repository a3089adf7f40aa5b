CREATE OR REPLACE FUNCTION public.released_from_unit_on(unit uuid, tenant uuid)
 RETURNS date
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select nullif(max(coalesce(c.released_on, l.superseded_from, 'infinity')), 'infinity')
      from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where c.organization_id = current_organization() and c.tenant_id = tenant and c.removed_at is null and l.unit_id = unit
        and l.deleted_at is null and l.status not in ('draft', 'cancelled') $function$;
