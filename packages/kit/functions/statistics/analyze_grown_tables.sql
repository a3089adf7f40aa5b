CREATE OR REPLACE FUNCTION public.analyze_grown_tables()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET default_statistics_target TO '10'
AS $function$
    declare
      grown name;
    begin
      for grown in select c.relname from pg_stat_user_tables s join pg_class c on c.oid = s.relid
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition and pg_get_userbyid(c.relowner) = current_user
          and s.n_live_tup - greatest(c.reltuples, 0) > greatest(200, c.reltuples / 2)
      loop
        execute format('analyze (skip_locked) %I', grown);
      end loop;
    end $function$;
