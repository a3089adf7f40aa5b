CREATE OR REPLACE FUNCTION public.refuse_reversal_of_reconciled()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    if exists (select from reconciliation_item i join reconciliation r on r.organization_id = i.organization_id and r.id = i.reconciliation_id
        where i.organization_id = new.organization_id and i.entry_id = new.id and i.is_cleared and i.is_live and r.status = 'finalized') then
      raise exception 'a transaction of a finalized reconciliation is not reversed' using errcode = 'check_violation', constraint = 'journal_entry_not_reconciled';
    end if;
    return new;
  end $function$;
CREATE TRIGGER journal_entry_is_not_reconciled BEFORE UPDATE OF status ON public.journal_entry FOR EACH ROW WHEN (((new.status = 'reversed'::text) AND (old.status <> 'reversed'::text))) EXECUTE FUNCTION refuse_reversal_of_reconciled();
