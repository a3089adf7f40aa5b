CREATE OR REPLACE FUNCTION public.portal_reads_expense(organization uuid, record uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE COST 10
AS $function$
  begin
    return exists (select from expense r where r.organization_id = organization and r.id = record and true);
  end $function$;
