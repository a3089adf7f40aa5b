import { Migration } from "@mikro-orm/migrations";

/**
 * Items of reconciliations are changed under one check a statement, as they are added: the void of a large reconciliation changes a hundred thousand.
 * The checks also require the reconciliation and the posted entry of each item, which are never deleted and need no lock, as a foreign key takes for each.
 */
export class ChangesOfReconciledItems extends Migration {
  override up(): void {
    this.addSql(`create function require_changeable_items() returns trigger language plpgsql set search_path = public, pg_temp set enable_nestloop = off as $$
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
      end $$;
    drop trigger reconciliation_item_is_final on reconciliation_item;
    drop function refuse_change_of_reconciled_item();
    create trigger reconciliation_items_are_final after update on reconciliation_item
      referencing old table as former new table as changed for each statement execute function require_changeable_items();
    create function require_entries_of_items() returns trigger language plpgsql set search_path = public, pg_temp as $$
      begin
        if exists (select from added i left join journal_entry e on e.organization_id = i.organization_id and e.id = i.entry_id and e.status <> 'draft' where e.id is null) then
          raise exception 'an item of a reconciliation names no posted entry' using errcode = 'foreign_key_violation', constraint = 'reconciliation_item_of_an_entry';
        end if;
        return null;
      end $$;
    create trigger reconciliation_items_have_posted_entries after insert on reconciliation_item
      referencing new table as added for each statement execute function require_entries_of_items();
    alter table reconciliation_item drop constraint reconciliation_item_of_a_reconciliation, drop constraint reconciliation_item_of_an_entry`);
  }
}
