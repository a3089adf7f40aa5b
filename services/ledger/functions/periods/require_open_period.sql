CREATE OR REPLACE FUNCTION public.require_open_period()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      closed_date date;
    begin
      -- An older snapshot does not show a close that was committed meanwhile.
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'entries are posted by transactions that read committed rows' using errcode = 'serialization_failure', constraint = 'accounting_period_open';
      end if;
      -- In the order of the organizations, so that two transactions that post for several cannot deadlock.
      perform pg_advisory_xact_lock_shared(period_lock_key(organization_id)) from (select distinct organization_id from added order by 1) posted;
      select first_date into closed_date from (select organization_id, min(entry_date) as first_date from added group by 1) posted
        where first_date < first_open_day(organization_id) limit 1;
      if closed_date is not null then
        raise exception 'the accounting period of % is closed', closed_date using errcode = 'serialization_failure', constraint = 'accounting_period_open';
      end if;
      return null;
    end $function$;
CREATE TRIGGER accounting_period_open AFTER INSERT ON public.journal_line REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION require_open_period();
