CREATE OR REPLACE FUNCTION public.keep_search_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare organization uuid := new.organization_id;
    begin
      if tg_table_name = 'lease_occupant' then
        perform refresh_search(organization, 'lease', array[new.lease_id]);
        return null;
      end if;
      perform refresh_search(organization, tg_table_name, array[new.id]);
      if tg_op = 'INSERT' then return null; end if;
      if tg_table_name = 'property' then
        if new.name is distinct from old.name then
          perform refresh_search(organization, 'unit', array(select id from unit where organization_id = organization and property_id = new.id));
          perform refresh_search(organization, 'lease', array(select id from lease where organization_id = organization and property_id = new.id));
          perform refresh_search(organization, 'work_order', array(select id from work_order where organization_id = organization and property_id = new.id));
        end if;
      elsif tg_table_name = 'unit' then
        if new.unit_number is distinct from old.unit_number then
          perform refresh_search(organization, 'lease', array(select id from lease where organization_id = organization and unit_id = new.id));
        end if;
      elsif tg_table_name = 'tenant' then
        if new.full_name is distinct from old.full_name then
          perform refresh_search(organization, 'lease', array(select lease_id from lease_occupant where organization_id = organization and tenant_id = new.id));
        end if;
      end if;
      return null;
    end $function$;
CREATE TRIGGER keep_search_entry AFTER INSERT OR UPDATE ON public.document FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER UPDATE OF property_id, unit_id, rent_cents, deleted_at ON public.lease FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER UPDATE ON public.lease_occupant FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER INSERT OR UPDATE ON public.owner FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER INSERT OR UPDATE ON public.property FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER UPDATE ON public.tenant FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER UPDATE ON public.unit FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER INSERT OR UPDATE ON public.vendor FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
CREATE TRIGGER keep_search_entry AFTER INSERT OR UPDATE OF title, description, property_id ON public.work_order FOR EACH ROW EXECUTE FUNCTION keep_search_entry();
