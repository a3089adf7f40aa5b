CREATE OR REPLACE FUNCTION public.require_lines()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      if not exists (select from journal_line where organization_id = new.organization_id and entry_id = new.id) then
        raise exception 'a journal entry is posted with lines' using errcode = 'check_violation', constraint = 'journal_entry_posted_with_lines';
      end if;
      if new.reverses_id is not null and exists (
          select account_id, cash_account_id, property_id, lease_id, tenant_id, sum(debit_cents), sum(credit_cents) from (
            select account_id, cash_account_id, property_id, lease_id, tenant_id, debit_cents, credit_cents from journal_line
              where organization_id = new.organization_id and entry_id = new.id
            union all select account_id, cash_account_id, property_id, lease_id, tenant_id, -credit_cents, -debit_cents from journal_line
              where organization_id = new.organization_id and entry_id = new.reverses_id) line
          group by 1, 2, 3, 4, 5 having sum(debit_cents) <> 0 or sum(credit_cents) <> 0) then
        raise exception 'a reversal has the lines of its entry with debits and credits exchanged' using errcode = 'check_violation', constraint = 'journal_entry_reverses_its_lines';
      end if;
      return null;
    end $function$;
CREATE CONSTRAINT TRIGGER journal_entry_has_lines AFTER INSERT OR UPDATE OF status ON public.journal_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.status <> 'draft'::text)) EXECUTE FUNCTION require_lines();
