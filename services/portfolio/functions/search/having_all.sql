CREATE OR REPLACE FUNCTION public.having_all(patterns text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
      select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern $function$;
