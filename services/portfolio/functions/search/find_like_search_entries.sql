CREATE OR REPLACE FUNCTION public.find_like_search_entries(longest text, terms text[], types text[], at_most integer)
 RETURNS TABLE(entity_type text, entity_id uuid, title text, subtitle text, words text, likeness real)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET "pg_trgm.word_similarity_threshold" TO '0.5'
AS $function$
      select entity_type, entity_id, title, subtitle, words, likeness from search_entry
        cross join lateral (select min(word_similarity(term, words)) as likeness from unnest(terms) as term) alike
      where organization_id = (case when portal_role() is null then current_organization() end)
        and longest <% words and likeness >= 0.5 and entity_type = any (types)
      order by likeness desc, title, entity_id limit at_most $function$;
