CREATE OR REPLACE FUNCTION public.portal_role()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select nullif(split_part(current_setting('app.portal_user', true), ':', 1), '') $function$;
