CREATE OR REPLACE FUNCTION public.read_payment_charges(organizations uuid[], organization_ids uuid[], charge_ids uuid[])
 RETURNS TABLE(organization_id uuid, id uuid, lease_id uuid, tenant_id uuid, property_id uuid, unit_id uuid, charge_type text, category_id uuid, due_date date, reopened_on date, open_before_reopening_cents bigint, amount_cents bigint, allocated_cents bigint, credited_cents bigint, balance_cents bigint, status text, name text, version integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      perform set_config('app.batch_organizations', array_to_string(organizations, ','), true);
      return query select c.organization_id, c.id, c.lease_id, c.tenant_id, c.property_id, c.unit_id, c.charge_type, c.category_id, c.due_date,
          c.reopened_on, c.open_before_reopening_cents, c.amount_cents, c.allocated_cents, c.credited_cents, c.balance_cents, c.status, c.name, c.version
        from unnest(organization_ids, charge_ids) as input (organization_id, id) join charge c on c.organization_id = input.organization_id and c.id = input.id;
    end $function$;
