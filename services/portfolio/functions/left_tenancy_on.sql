CREATE OR REPLACE FUNCTION public.left_tenancy_on(lease_id uuid, tenant uuid, day date)
 RETURNS date
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1
 SET search_path TO 'public', 'pg_temp'
AS $function$
      with recursive tenancy as (
        select 0 as depth, l.renewed_to_lease_id, coalesce(l.superseded_from, 'infinity') as superseded_from, released.released_on
          from lease l cross join lateral (select max(case when case l.status when 'terminated' then c.released_on >= l.termination_date
          when 'expired' then c.released_on >= l.end_date and not exists (select from lease_occupant other
            where other.organization_id = c.organization_id and other.lease_id = c.lease_id and other.id <> c.id and other.role in ('primary', 'co_tenant')
              and other.removed_at is null and (other.released_on is null or other.released_on > c.released_on)) else false end then 'infinity' else coalesce(c.released_on, 'infinity') end) as released_on
        from lease_occupant c where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = tenant and c.role in ('primary', 'co_tenant') and c.removed_at is null) released
          where l.organization_id = current_organization() and l.id = left_tenancy_on.lease_id
        union all
        select depth + 1, l.renewed_to_lease_id, coalesce(l.superseded_from, 'infinity'), released.released_on
          from tenancy join lease l on l.organization_id = current_organization() and l.id = tenancy.renewed_to_lease_id cross join lateral (select max(case when case l.status when 'terminated' then c.released_on >= l.termination_date
          when 'expired' then c.released_on >= l.end_date and not exists (select from lease_occupant other
            where other.organization_id = c.organization_id and other.lease_id = c.lease_id and other.id <> c.id and other.role in ('primary', 'co_tenant')
              and other.removed_at is null and (other.released_on is null or other.released_on > c.released_on)) else false end then 'infinity' else coalesce(c.released_on, 'infinity') end) as released_on
        from lease_occupant c where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = tenant and c.role in ('primary', 'co_tenant') and c.removed_at is null) released
          where tenancy.superseded_from <= day and tenancy.released_on > tenancy.superseded_from and released.released_on is not null
      )
      select nullif(least(released_on, case when superseded_from <= day then superseded_from end), 'infinity') from tenancy order by depth desc limit 1 $function$;
