CREATE OR REPLACE FUNCTION public.count_search_entries(patterns text[], types text[])
 RETURNS TABLE(entity_type text, count bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET max_parallel_workers_per_gather TO '0'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
    #variable_conflict use_column
    begin
      return query execute format($query$select entity_type, count(*) from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and ($1 is null or entity_type = any ($1)) and  %s group by 1$query$, having_all(patterns)) using types;
    end $function$;
