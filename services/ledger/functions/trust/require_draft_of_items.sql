CREATE OR REPLACE FUNCTION public.require_draft_of_items()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
      declare
        item record;
        current_status text;
      begin
        for item in select distinct organization_id, reconciliation_id from changed order by reconciliation_id loop
          -- The lock keeps the reconciliation from being finalized until the commit.
          select status into current_status from reconciliation where organization_id = item.organization_id and id = item.reconciliation_id for share;
          if current_status is distinct from 'draft' then
            raise exception 'the items of a finalized reconciliation never change: void it' using errcode = 'insufficient_privilege';
          end if;
        end loop;
        return null;
      end $function$;
CREATE TRIGGER reconciliation_items_are_added_to_a_draft AFTER INSERT ON public.reconciliation_item REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION require_draft_of_items();
CREATE TRIGGER reconciliation_items_are_taken_from_a_draft AFTER DELETE ON public.reconciliation_item REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION require_draft_of_items();
