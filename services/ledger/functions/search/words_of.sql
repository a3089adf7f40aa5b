CREATE OR REPLACE FUNCTION public.words_of(VARIADIC parts text[])
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'public'
AS $function$
    select ' ' || lower(unaccent('unaccent', array_to_string(parts, ' '))) || ' ' $function$;
