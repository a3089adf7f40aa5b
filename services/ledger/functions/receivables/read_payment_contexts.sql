CREATE OR REPLACE FUNCTION public.read_payment_contexts(organizations uuid[], organization_ids uuid[], tenant_ids uuid[], lease_ids uuid[], idempotency_keys text[])
 RETURNS TABLE(place bigint, is_key_used boolean, tenant_name text, tenant_version integer, merged_into_id uuid, is_deleted boolean, timezone text, first_open_day date, lease_id uuid, lease_version integer, start_date date, end_date date, lease_status text, is_payer boolean, property_id uuid, property_name text, city text, state text, unit_id uuid, unit_number text, is_taken_over boolean, payer_ids uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      perform set_config('app.batch_organizations', array_to_string(organizations, ','), true);
      return query select input.place - 1,
          exists (select from payment p where p.organization_id = input.organization_id and p.idempotency_key = input.idempotency_key),
          t.full_name, t.version, t.merged_into_id, t.is_deleted, b.timezone, coalesce(b.soft_closed_through + 1, '-infinity'),
          l.id, l.version, l.start_date, l.end_date, l.status, input.tenant_id = any(l.payer_ids),
          l.property_id, pr.name, pr.city, pr.state, l.unit_id, u.unit_number,
          exists (select from lease_copy r where r.organization_id = l.organization_id and r.tenancy_id = l.tenancy_id and r.start_date > l.start_date and r.took_over_at is not null),
          coalesce(l.payer_ids, '{}')
        from unnest(organization_ids, tenant_ids, lease_ids, idempotency_keys) with ordinality as input (organization_id, tenant_id, lease_id, idempotency_key, place)
          join book b on b.organization_id = input.organization_id and b.id = input.organization_id
          join tenant_copy t on t.organization_id = input.organization_id and t.id = input.tenant_id
          left join lease_copy l on l.organization_id = input.organization_id and l.id = input.lease_id
          left join property_copy pr on pr.organization_id = input.organization_id and pr.id = l.property_id
          left join unit_copy u on u.organization_id = input.organization_id and u.id = l.unit_id;
    end $function$;
