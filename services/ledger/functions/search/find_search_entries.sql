CREATE OR REPLACE FUNCTION public.find_search_entries(patterns text[], kind text, at_most integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
    begin
      return query execute 'select entity_id from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and entity_type = $1 and ' || (select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern) || ' limit $2'
        using kind, at_most;
    end $function$;
