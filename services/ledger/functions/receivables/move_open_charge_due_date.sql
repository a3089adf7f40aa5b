CREATE OR REPLACE FUNCTION public.move_open_charge_due_date()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      update open_charge set due_date = new.due_date where organization_id = new.organization_id and charge_id = new.id;
      return null;
    end $function$;
CREATE TRIGGER move_open_charge_due_date AFTER UPDATE OF due_date ON public.charge FOR EACH ROW WHEN ((new.due_date <> old.due_date)) EXECUTE FUNCTION move_open_charge_due_date();
