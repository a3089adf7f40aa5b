CREATE OR REPLACE FUNCTION public.keep_added_search_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare lot record;
    begin
      if tg_table_name = 'charge' then
        for lot in select organization_id, array_agg(id) as ids from added where recurring_charge_rule_id is null or memo is not null group by 1 loop
          perform refresh_search(lot.organization_id, 'charge', lot.ids);
        end loop;
      else
        for lot in select organization_id, array_agg(id) as ids from added group by 1 loop
          perform refresh_search(lot.organization_id, case tg_table_name when 'tenant_copy' then 'tenant' else tg_table_name end, lot.ids);
        end loop;
      end if;
      return null;
    end $function$;
CREATE TRIGGER keep_added_search_entries AFTER INSERT ON public.charge REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_search_entries();
CREATE TRIGGER keep_added_search_entries AFTER INSERT ON public.expense REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_search_entries();
CREATE TRIGGER keep_added_search_entries AFTER INSERT ON public.tenant_copy REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_search_entries();
