CREATE OR REPLACE FUNCTION public.period_lock_key(organization uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
      select hashtextextended(organization::text || ' periods', 0) $function$;
