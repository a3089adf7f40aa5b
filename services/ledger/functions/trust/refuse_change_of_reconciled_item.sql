CREATE OR REPLACE FUNCTION public.refuse_change_of_reconciled_item()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
      declare
        current_status text;
      begin
        -- The lock keeps the reconciliation from being finalized until the commit.
        select status into current_status from reconciliation where organization_id = new.organization_id and id = new.reconciliation_id for share;
        if current_status = 'draft' and new.reconciliation_id = old.reconciliation_id then
          return new;
        end if;
        if current_status = 'voided' and not new.is_live
            and (new.organization_id, new.reconciliation_id, new.entry_id, new.bank_account_id, new.entry_date, new.amount_cents, new.is_cleared, new.is_opening)
            is not distinct from (old.organization_id, old.reconciliation_id, old.entry_id, old.bank_account_id, old.entry_date, old.amount_cents, old.is_cleared, old.is_opening) then
          return new;
        end if;
        raise exception 'the items of a finalized reconciliation never change: void it' using errcode = 'insufficient_privilege';
      end $function$;
CREATE TRIGGER reconciliation_item_is_final BEFORE UPDATE ON public.reconciliation_item FOR EACH ROW EXECUTE FUNCTION refuse_change_of_reconciled_item();
