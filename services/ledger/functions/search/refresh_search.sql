CREATE OR REPLACE FUNCTION public.refresh_search(organization uuid, kind text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  begin
    delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
    case kind when 'tenant' then
      insert into search_entry select * from tenant_search_source where organization_id = organization and entity_id = any(ids)
        on conflict (organization_id, entity_type, entity_id) do update set words = excluded.words;
      when 'payment' then
      insert into search_entry select * from payment_search_source where organization_id = organization and entity_id = any(ids)
        on conflict (organization_id, entity_type, entity_id) do update set words = excluded.words;
      when 'charge' then
      insert into search_entry select * from charge_search_source where organization_id = organization and entity_id = any(ids)
        on conflict (organization_id, entity_type, entity_id) do update set words = excluded.words;
      when 'expense' then
      insert into search_entry select * from expense_search_source where organization_id = organization and entity_id = any(ids)
        on conflict (organization_id, entity_type, entity_id) do update set words = excluded.words;
    end case;
  end $function$;
