CREATE OR REPLACE FUNCTION public.balances_of(ids uuid[], amounts bigint[])
 RETURNS TABLE(id uuid, cents bigint)
 LANGUAGE sql
 IMMUTABLE STRICT ROWS 100000
AS $function$ select * from unnest(ids, amounts) $function$;
