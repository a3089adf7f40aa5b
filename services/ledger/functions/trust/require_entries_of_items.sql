CREATE OR REPLACE FUNCTION public.require_entries_of_items()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
      begin
        if exists (select from added i left join journal_entry e on e.organization_id = i.organization_id and e.id = i.entry_id and e.status <> 'draft' where e.id is null) then
          raise exception 'an item of a reconciliation names no posted entry' using errcode = 'foreign_key_violation', constraint = 'reconciliation_item_of_an_entry';
        end if;
        return null;
      end $function$;
CREATE TRIGGER reconciliation_items_have_posted_entries AFTER INSERT ON public.reconciliation_item REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION require_entries_of_items();
