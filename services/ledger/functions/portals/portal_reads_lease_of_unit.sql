CREATE OR REPLACE FUNCTION public.portal_reads_lease_of_unit(organization uuid, record uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE COST 10
AS $function$
  begin
    return exists (select from lease_copy r where r.organization_id = organization and r.unit_id = record and true);
  end $function$;
