CREATE OR REPLACE FUNCTION public.require_changeable_items()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_nestloop TO 'off'
AS $function$
      declare
        item record;
        current_status text;
        is_refused boolean;
      begin
        for item in select distinct organization_id, reconciliation_id from changed order by reconciliation_id loop
          -- The lock keeps the reconciliation from being finalized until the commit.
          select status into current_status from reconciliation where organization_id = item.organization_id and id = item.reconciliation_id for share;
          if current_status = 'draft' then
            is_refused := exists (select from changed c
              left join former f on f.organization_id = c.organization_id and f.reconciliation_id = c.reconciliation_id and f.entry_id = c.entry_id
              where c.organization_id = item.organization_id and c.reconciliation_id = item.reconciliation_id and f.entry_id is null);
          elsif current_status = 'voided' then
            is_refused := exists (select from changed c
              left join former f on f.organization_id = c.organization_id and f.reconciliation_id = c.reconciliation_id and f.entry_id = c.entry_id
                and f.bank_account_id = c.bank_account_id and f.entry_date = c.entry_date and f.amount_cents = c.amount_cents
                and f.is_cleared = c.is_cleared and f.is_opening = c.is_opening
              where c.organization_id = item.organization_id and c.reconciliation_id = item.reconciliation_id and (c.is_live or f.entry_id is null));
          else
            is_refused := true;
          end if;
          if is_refused then
            raise exception 'the items of a finalized reconciliation never change: void it' using errcode = 'insufficient_privilege';
          end if;
        end loop;
        return null;
      end $function$;
CREATE TRIGGER reconciliation_items_are_final AFTER UPDATE ON public.reconciliation_item REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION require_changeable_items();
