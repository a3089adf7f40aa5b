CREATE OR REPLACE FUNCTION public.portal_reaches(record uuid, day date)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE COST 10
AS $function$
  begin
    return exists (select from portal_reached() reached where reached.id = record and (reached.before = 'infinity' or day < reached.before));
  end $function$;
