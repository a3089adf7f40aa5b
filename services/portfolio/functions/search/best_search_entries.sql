CREATE OR REPLACE FUNCTION public.best_search_entries(patterns text[], types text[], phrase text, at_most integer)
 RETURNS TABLE(entity_type text, entity_id uuid, title text, subtitle text, words text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET max_parallel_workers_per_gather TO '0'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
    #variable_conflict use_column
    begin
      return query execute format($query$
        with found as materialized (select entity_type, entity_id, title, subtitle, words from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and ($1 is null or entity_type = any ($1)) and  %s limit 5000)
        select * from (select * from found union (select entity_type, entity_id, title, subtitle, words from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and ($1 is null or entity_type = any ($1)) and  words like $2 and (select count(*) from found) = 5000 limit 5000) union (select entity_type, entity_id, title, subtitle, words from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and ($1 is null or entity_type = any ($1)) and  words like $3 and (select count(*) from found) = 5000 limit 5000)) compared
        order by words not like $3, octet_length(title), entity_id limit $4 $query$, having_all(patterns))
        using types, '% ' || phrase || ' %', '% ' || phrase || '%', at_most;
    end $function$;
