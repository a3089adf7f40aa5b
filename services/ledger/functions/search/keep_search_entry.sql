CREATE OR REPLACE FUNCTION public.keep_search_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare organization uuid := new.organization_id;
    begin
      if tg_table_name = 'vendor_copy' then
        if new.name <> old.name then
          perform refresh_search(organization, 'expense', array(select id from expense
            where organization_id = organization and vendor_id = new.id order by incurred_on desc, id desc limit 5000));
        end if;
      elsif tg_table_name = 'tenant_copy' then
        if tg_op = 'UPDATE' then
          if new.full_name = old.full_name then return null; end if;
          perform refresh_search(organization, 'payment', array(select id from payment where organization_id = organization and tenant_id = new.id));
          perform refresh_search(organization, 'charge', array(select id from charge where organization_id = organization and tenant_id = new.id));
        end if;
        perform refresh_search(organization, 'tenant', array[new.id]);
      else
        perform refresh_search(organization, tg_table_name, array[new.id]);
      end if;
      return null;
    end $function$;
CREATE TRIGGER keep_search_entry AFTER UPDATE OF name, memo, tenant_id ON public.charge FOR EACH ROW WHEN (((new.recurring_charge_rule_id IS NULL) OR (new.memo IS NOT NULL))) EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER UPDATE OF name, description, invoice_number, vendor_id ON public.expense FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER INSERT OR UPDATE OF check_number, tenant_id ON public.payment FOR EACH ROW WHEN ((new.check_number IS NOT NULL)) EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER UPDATE OF full_name ON public.tenant_copy FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER UPDATE OF name ON public.vendor_copy FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
