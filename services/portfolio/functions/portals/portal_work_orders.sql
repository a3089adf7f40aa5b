CREATE OR REPLACE FUNCTION public.portal_work_orders(portal_user text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER COST 1 ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select work_order_id from portal_work_order_spans(portal_user) $function$;
