CREATE OR REPLACE FUNCTION public.keep_list_total()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, tg_table_name, own_shard(organization_id), count(*), sum(amount_cents) from added group by 1 order by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      if tg_table_name = 'charge' then
        insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
          select organization_id, 'open_charge', own_shard(organization_id), count(*), sum(balance_cents) from added where balance_cents > 0 group by 1 order by 1
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      end if;
      return null;
    end $function$;
CREATE TRIGGER keep_list_total AFTER INSERT ON public.charge REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_list_total();
CREATE TRIGGER keep_list_total AFTER INSERT ON public.payment REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_list_total();
