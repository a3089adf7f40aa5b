CREATE OR REPLACE FUNCTION public.keep_changed_open_charges()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      delete from open_charge using changed
        where changed.balance_cents = 0 and open_charge.organization_id = changed.organization_id and open_charge.charge_id = changed.id;
      insert into open_charge as kept
        select organization_id, id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from changed where balance_cents > 0 order by organization_id, id
        on conflict (organization_id, charge_id) do update set balance_cents = excluded.balance_cents where kept.balance_cents <> excluded.balance_cents;
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, 'open_charge', own_shard(organization_id), sum(rows), sum(amount_cents)
        from (select organization_id, (balance_cents > 0)::int as rows, balance_cents as amount_cents from changed
          union all select organization_id, -(balance_cents > 0)::int, -balance_cents from before) difference
        group by 1 having sum(amount_cents) <> 0 or sum(rows) <> 0 order by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $function$;
CREATE TRIGGER keep_changed_open_charges AFTER UPDATE ON public.charge REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_changed_open_charges();
