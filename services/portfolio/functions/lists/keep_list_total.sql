CREATE OR REPLACE FUNCTION public.keep_list_total()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      counted_after int := case when new.deleted_at is null then 1 else 0 end;
      counted_before int := case when tg_op = 'UPDATE' and old.deleted_at is null then 1 else 0 end;
    begin
      if counted_after <> counted_before then
        insert into list_total as kept values (new.organization_id, tg_table_name, own_shard(new.organization_id), counted_after - counted_before)
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows;
      end if;
      return null;
    end $function$;
CREATE TRIGGER keep_list_total AFTER UPDATE OF deleted_at ON public.lease FOR EACH ROW EXECUTE FUNCTION keep_list_total();
CREATE TRIGGER keep_list_total AFTER INSERT OR UPDATE OF deleted_at ON public.owner FOR EACH ROW EXECUTE FUNCTION keep_list_total();
CREATE TRIGGER keep_list_total AFTER INSERT OR UPDATE OF deleted_at ON public.property FOR EACH ROW EXECUTE FUNCTION keep_list_total();
CREATE TRIGGER keep_list_total AFTER UPDATE OF deleted_at ON public.tenant FOR EACH ROW EXECUTE FUNCTION keep_list_total();
CREATE TRIGGER keep_list_total AFTER UPDATE OF deleted_at ON public.unit FOR EACH ROW EXECUTE FUNCTION keep_list_total();
CREATE TRIGGER keep_list_total AFTER INSERT OR UPDATE OF deleted_at ON public.vendor FOR EACH ROW EXECUTE FUNCTION keep_list_total();
