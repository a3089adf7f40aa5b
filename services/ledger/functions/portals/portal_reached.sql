CREATE OR REPLACE FUNCTION public.portal_reached()
 RETURNS TABLE(id uuid, before date)
 LANGUAGE sql
 STABLE PARALLEL SAFE COST 1 ROWS 10
AS $function$
      select split_part(record, '@', 1)::uuid, coalesce(nullif(split_part(record, '@', 2), ''), 'infinity')::date
      from unnest(string_to_array(nullif(split_part(current_setting('app.portal_user', true), ':', 6), ''), ',')) as record $function$;
