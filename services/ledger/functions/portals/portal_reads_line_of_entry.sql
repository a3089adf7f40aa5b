CREATE OR REPLACE FUNCTION public.portal_reads_line_of_entry(organization uuid, record uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE COST 10
AS $function$
  begin
    return exists (select from journal_line r where r.organization_id = organization and r.entry_id = record and true);
  end $function$;
