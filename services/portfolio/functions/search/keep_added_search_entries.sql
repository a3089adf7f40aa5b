CREATE OR REPLACE FUNCTION public.keep_added_search_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare inserted record;
    begin
      if tg_table_name = 'lease_occupant' then
        for inserted in select organization_id, array_agg(distinct lease_id) as ids from added group by 1 loop
          perform refresh_search(inserted.organization_id, 'lease', inserted.ids);
        end loop;
      elsif tg_table_name = 'lease' then
        for inserted in select organization_id, array_agg(id) as ids from added where renewed_from_lease_id is not null group by 1 loop
          perform refresh_search(inserted.organization_id, 'lease', inserted.ids);
        end loop;
      else
        for inserted in select organization_id, array_agg(id) as ids from added group by 1 loop
          perform refresh_search(inserted.organization_id, tg_table_name, inserted.ids);
        end loop;
      end if;
      return null;
    end $function$;
CREATE TRIGGER keep_added_search_entries AFTER INSERT ON public.lease REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_search_entries();
CREATE TRIGGER keep_added_search_entries AFTER INSERT ON public.lease_occupant REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_search_entries();
CREATE TRIGGER keep_added_search_entries AFTER INSERT ON public.tenant REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_search_entries();
CREATE TRIGGER keep_added_search_entries AFTER INSERT ON public.unit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_search_entries();
