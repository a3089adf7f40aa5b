CREATE OR REPLACE FUNCTION public.find_search_candidates(search text, kind text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET max_parallel_workers_per_gather TO '0'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
    begin
      return query execute format('select entity_id from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and entity_type = $1 and words like %L', '%' || regexp_replace(lower(unaccent('unaccent', ltrim(search, '+'))), '([\\%_])', '\\\1', 'g') || '%') using kind;
    end $function$;
