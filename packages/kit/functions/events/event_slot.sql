CREATE OR REPLACE FUNCTION public.event_slot(instant timestamp with time zone)
 RETURNS smallint
 LANGUAGE sql
 STABLE
AS $function$
        select (extract(epoch from instant)::bigint / event_slot_seconds() % 8)::smallint $function$;
