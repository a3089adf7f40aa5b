CREATE OR REPLACE FUNCTION public.is_office()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
        select coalesce(current_setting('app.portal_user', true), '') = '' or current_user <> session_user $function$;
