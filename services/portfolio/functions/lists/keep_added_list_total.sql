CREATE OR REPLACE FUNCTION public.keep_added_list_total()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      insert into list_total as kept (organization_id, list, shard, rows)
        select organization_id, tg_table_name, own_shard(organization_id), count(*) from added where deleted_at is null group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows;
      return null;
    end $function$;
CREATE TRIGGER keep_added_list_total AFTER INSERT ON public.lease REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_list_total();
CREATE TRIGGER keep_added_list_total AFTER INSERT ON public.tenant REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_list_total();
CREATE TRIGGER keep_added_list_total AFTER INSERT ON public.unit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_list_total();
