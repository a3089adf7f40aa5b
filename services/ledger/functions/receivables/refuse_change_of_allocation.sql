CREATE OR REPLACE FUNCTION public.refuse_change_of_allocation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if (new.organization_id, new.id, new.payment_id, new.charge_id, new.amount_cents, new.entry_id)
          is distinct from (old.organization_id, old.id, old.payment_id, old.charge_id, old.amount_cents, old.entry_id)
        or (old.released_at is not null and ((new.released_on, new.released_at, new.release_entry_id)
          is distinct from (old.released_on, old.released_at, old.release_entry_id) or new.carryable_cents >= old.carryable_cents)) then
        raise exception 'an allocation changes only by its release, which is final' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $function$;
CREATE TRIGGER payment_allocation_is_final BEFORE UPDATE ON public.payment_allocation FOR EACH ROW EXECUTE FUNCTION refuse_change_of_allocation();
