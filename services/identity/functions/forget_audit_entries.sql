CREATE OR REPLACE FUNCTION public.forget_audit_entries(kept_days integer, at_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      organization uuid := (case when portal_role() is null then current_organization() end);
      gone int;
    begin
      if kept_days < 365 then
        raise exception 'the audit log is kept for a year at least' using errcode = 'insufficient_privilege';
      end if;
      delete from audit_entry where organization_id = organization and id in (
        select e.id from audit_entry e where e.organization_id = organization and e.occurred_at < now() - make_interval(days => kept_days)
        order by e.occurred_at limit at_most);
      get diagnostics gone = row_count;
      return gone;
    end $function$;
