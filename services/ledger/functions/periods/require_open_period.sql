CREATE OR REPLACE FUNCTION public.require_open_period()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
    declare
      organization uuid;
      first_date date;
    begin
      select organization_id, min(entry_date) into organization, first_date from added group by 1;
      if organization is null then return null; end if;
      perform pg_advisory_xact_lock_shared(period_lock_key(organization));
      if first_date < first_open_day(organization) then
        raise exception 'the accounting period of % is closed', first_date using errcode = 'serialization_failure', constraint = 'accounting_period_open';
      end if;
      return null;
    end $function$;
CREATE TRIGGER accounting_period_open AFTER INSERT ON public.journal_line REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION require_open_period();
