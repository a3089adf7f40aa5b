CREATE OR REPLACE FUNCTION public.find_search_entries(longest text, patterns text[], types text[])
 RETURNS TABLE(entity_type text, entity_id uuid, title text, subtitle text, words text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      select entity_type, entity_id, title, subtitle, words from search_entry
      where organization_id = (case when portal_role() is null then current_organization() end)
        and words like longest and words like all (patterns) and entity_type = any (types) $function$;
