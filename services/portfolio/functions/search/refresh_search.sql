CREATE OR REPLACE FUNCTION public.refresh_search(organization uuid, kind text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  begin
    delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
    case kind when 'property' then
      insert into search_entry select * from property_search_source where organization_id = organization and entity_id = any(ids);
      when 'unit' then
      insert into search_entry select * from unit_search_source where organization_id = organization and entity_id = any(ids);
      when 'tenant' then
      insert into search_entry select * from tenant_search_source where organization_id = organization and entity_id = any(ids);
      when 'owner' then
      insert into search_entry select * from owner_search_source where organization_id = organization and entity_id = any(ids);
      when 'vendor' then
      insert into search_entry select * from vendor_search_source where organization_id = organization and entity_id = any(ids);
      when 'lease' then
      insert into search_entry select * from lease_search_source where organization_id = organization and entity_id = any(ids);
      when 'work_order' then
      insert into search_entry select * from work_order_search_source where organization_id = organization and entity_id = any(ids);
      when 'document' then
      insert into search_entry select * from document_search_source where organization_id = organization and entity_id = any(ids);
    end case;
  end $function$;
