CREATE OR REPLACE FUNCTION public.portal_subject()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select nullif(split_part(current_setting('app.portal_user', true), ':', 2), '')::uuid $function$;
