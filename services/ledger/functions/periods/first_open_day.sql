CREATE OR REPLACE FUNCTION public.first_open_day(organization uuid)
 RETURNS date
 LANGUAGE sql
 STABLE
AS $function$
      select coalesce(max(case when nullif(current_setting('app.period_override', true), '') is null then soft_closed_through else closed_through end) + 1, '-infinity')
      from book where organization_id = organization $function$;
