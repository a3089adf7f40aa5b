CREATE OR REPLACE FUNCTION public.require_postable_lines()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      closed_date date;
    begin
      -- An older snapshot does not show a close or a hold that was committed meanwhile.
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
      if exists (select from posting_hold) and exists (select from posting_hold hold join added line on line.organization_id = hold.organization_id
          and hold.record_id in (line.lease_id, line.tenant_id, line.property_id, line.owner_id, line.vendor_id) where hold.held_until > clock_timestamp()) then
        raise exception 'postings on a record of the entry are held' using errcode = 'check_violation', constraint = 'postings_not_held';
      end if;
      return null;
    end $function$;
CREATE TRIGGER journal_line_postable AFTER INSERT ON public.journal_line REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION require_postable_lines();
