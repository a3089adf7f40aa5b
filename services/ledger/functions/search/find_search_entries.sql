CREATE OR REPLACE FUNCTION public.find_search_entries(longest text, patterns text[], kind text, at_most integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      select entity_id from search_entry
      where organization_id = nullif(current_setting('app.organization_id', true), '')::uuid
        and entity_type = kind and words like longest and words like all (patterns) limit at_most $function$;

CREATE OR REPLACE FUNCTION public.find_search_entries(patterns text[], kind text, at_most integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
    begin
      return query execute 'select entity_id from search_entry where organization_id = nullif(current_setting(''app.organization_id'', true), '''')::uuid
        and entity_type = $1 and ' || (select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern) || ' limit $2'
        using kind, at_most;
    end $function$;
