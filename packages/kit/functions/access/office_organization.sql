CREATE OR REPLACE FUNCTION public.office_organization()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select case when is_office() then current_organization() end $function$;
