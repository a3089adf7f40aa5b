import { Migration } from "@mikro-orm/migrations";

/** Items are added to reconciliations and taken out of them under one check a statement: a match of a large statement adds a hundred thousand. */
export class ItemsOfReconciliations extends Migration {
  override up(): void {
    this.addSql(`create function require_draft_of_items() returns trigger language plpgsql set search_path = public, pg_temp as $$
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
      end $$;
    create or replace function refuse_change_of_reconciled_item() returns trigger language plpgsql set search_path = public, pg_temp as $$
      declare
        current_status text;
      begin
        -- The lock keeps the reconciliation from being finalized until the commit.
        select status into current_status from reconciliation where organization_id = new.organization_id and id = new.reconciliation_id for share;
        if current_status = 'draft' and new.reconciliation_id = old.reconciliation_id then
          return new;
        end if;
        if current_status = 'voided' and not new.is_live
            and (new.organization_id, new.reconciliation_id, new.entry_id, new.bank_account_id, new.entry_date, new.amount_cents, new.is_cleared, new.is_opening)
            is not distinct from (old.organization_id, old.reconciliation_id, old.entry_id, old.bank_account_id, old.entry_date, old.amount_cents, old.is_cleared, old.is_opening) then
          return new;
        end if;
        raise exception 'the items of a finalized reconciliation never change: void it' using errcode = 'insufficient_privilege';
      end $$;
    drop trigger reconciliation_item_is_final on reconciliation_item;
    create trigger reconciliation_item_is_final before update on reconciliation_item for each row execute function refuse_change_of_reconciled_item();
    create trigger reconciliation_items_are_added_to_a_draft after insert on reconciliation_item
      referencing new table as changed for each statement execute function require_draft_of_items();
    create trigger reconciliation_items_are_taken_from_a_draft after delete on reconciliation_item
      referencing old table as changed for each statement execute function require_draft_of_items()`);
  }
}
