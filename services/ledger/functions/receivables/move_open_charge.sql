CREATE OR REPLACE FUNCTION public.move_open_charge()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      update open_charge set tenant_id = new.tenant_id where organization_id = new.organization_id and charge_id = new.id;
      return null;
    end $function$;
CREATE TRIGGER move_open_charge AFTER UPDATE OF tenant_id ON public.charge FOR EACH ROW EXECUTE FUNCTION move_open_charge();
