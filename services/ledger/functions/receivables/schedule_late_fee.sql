CREATE OR REPLACE FUNCTION public.schedule_late_fee()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.late_fee_due_on := new.due_date + (new.late_fee_terms ->> 'graceDays')::int + 1;
      return new;
    end $function$;
CREATE TRIGGER schedule_late_fee BEFORE UPDATE OF balance_cents, due_date ON public.charge FOR EACH ROW WHEN (((new.late_fee_terms IS NOT NULL) AND ((new.balance_cents > old.balance_cents) OR (new.due_date <> old.due_date)))) EXECUTE FUNCTION schedule_late_fee();
