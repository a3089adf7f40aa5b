CREATE OR REPLACE FUNCTION public.keep_added_open_charges()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      insert into open_charge select organization_id, id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from added where balance_cents > 0;
      return null;
    end $function$;
CREATE TRIGGER keep_added_open_charges AFTER INSERT ON public.charge REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_open_charges();
