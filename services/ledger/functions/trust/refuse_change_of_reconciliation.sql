CREATE OR REPLACE FUNCTION public.refuse_change_of_reconciliation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    if old.status = 'voided' or (old.status = 'finalized' and not (new.status = 'voided'
        and (new.organization_id, new.id, new.created_at, new.bank_account_id, new.statement_start_date, new.statement_end_date, new.statement_ending_balance_cents,
          new.opening_balance_cents, new.cleared_deposits_cents, new.cleared_withdrawals_cents, new.three_way, new.names, new.variance_note, new.finalized_at, new.finalized_by_user_id)
        is not distinct from (old.organization_id, old.id, old.created_at, old.bank_account_id, old.statement_start_date, old.statement_end_date, old.statement_ending_balance_cents,
          old.opening_balance_cents, old.cleared_deposits_cents, old.cleared_withdrawals_cents, old.three_way, old.names, old.variance_note, old.finalized_at, old.finalized_by_user_id))) then
      raise exception 'a finalized reconciliation never changes: void it' using errcode = 'insufficient_privilege';
    end if;
    return new;
  end $function$;
CREATE TRIGGER reconciliation_is_final BEFORE UPDATE ON public.reconciliation FOR EACH ROW EXECUTE FUNCTION refuse_change_of_reconciliation();
