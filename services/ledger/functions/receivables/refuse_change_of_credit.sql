CREATE OR REPLACE FUNCTION public.refuse_change_of_credit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if (new.organization_id, new.id, new.charge_id, new.amount_cents, new.reason, new.memo, new.credited_on, new.entry_id, new.original_credit_id)
          is distinct from (old.organization_id, old.id, old.charge_id, old.amount_cents, old.reason, old.memo, old.credited_on, old.entry_id, old.original_credit_id)
        or (old.reversed_at is not null and ((new.reversed_at, new.reversal_entry_id) is distinct from (old.reversed_at, old.reversal_entry_id)
          or new.carryable_cents > old.carryable_cents)) then
        raise exception 'a credit changes only by its reversal, which is final' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $function$;
CREATE TRIGGER charge_credit_is_final BEFORE UPDATE ON public.charge_credit FOR EACH ROW EXECUTE FUNCTION refuse_change_of_credit();
