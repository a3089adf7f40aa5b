CREATE OR REPLACE FUNCTION public.event_slot_seconds()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$ select 51840 $function$;
