import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Adds the totals of unfiltered lists, maintained by triggers, and indexes in the order in which pages of lists are read. */
export class ListTotals extends Migration {
  override up(): void {
    // Like account_month, each list has eight rows (shards), chosen by the connection, so that concurrent transactions rarely wait for each other.
    this.addSql(`create table list_total (
      organization_id uuid not null,
      list text not null,
      shard smallint not null,
      rows bigint not null,
      amount_cents bigint not null,
      primary key (organization_id, list, shard)
    ) with (fillfactor = 50);
    alter table charge no force row level security;
    alter table payment no force row level security;
    alter table journal_line no force row level security;
    insert into list_total select organization_id, 'charge', 0, count(*), sum(amount_cents) from charge group by 1;
    insert into list_total select organization_id, 'open_charge', 0, count(*) filter (where balance_cents > 0), sum(balance_cents) from charge group by 1;
    insert into list_total select organization_id, 'payment', 0, count(*), sum(amount_cents) from payment group by 1;
    insert into list_total select organization_id, 'journal_entry', 0, count(distinct entry_id), sum(debit_cents) from journal_line group by 1;
    alter table charge force row level security;
    alter table payment force row level security;
    alter table journal_line force row level security;
    ${rowLevelSecuritySql("list_total")}`);
    this.addSql(`create function keep_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, tg_table_name, pg_backend_pid() % 8, count(*), sum(amount_cents) from added group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      if tg_table_name = 'charge' then
        insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
          select organization_id, 'open_charge', pg_backend_pid() % 8, count(*), sum(balance_cents) from added where balance_cents > 0 group by 1
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      end if;
      return null;
    end $$;
    create trigger keep_list_total after insert on charge referencing new table as added for each statement execute function keep_list_total();
    create trigger keep_list_total after insert on payment referencing new table as added for each statement execute function keep_list_total()`);
    this.addSql(`create or replace function keep_open_charges() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if new.balance_cents = 0 then
        delete from open_charge where organization_id = new.organization_id and charge_id = new.id;
      else
        insert into open_charge as kept values (new.organization_id, new.id, new.lease_id, new.tenant_id, new.property_id, new.charge_type, new.due_date, new.amount_cents, new.balance_cents)
          on conflict (organization_id, charge_id) do update set balance_cents = excluded.balance_cents;
      end if;
      if tg_op = 'UPDATE' and new.balance_cents <> old.balance_cents then
        insert into list_total as kept values (new.organization_id, 'open_charge', pg_backend_pid() % 8,
            (new.balance_cents > 0)::int - (old.balance_cents > 0)::int, new.balance_cents - old.balance_cents)
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      end if;
      return null;
    end $$`);
    // One statement inserts all lines of an entry, so the trigger can also count the entries.
    this.addSql(`create or replace function keep_balances() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if exists (select from added group by organization_id, entry_id having sum(debit_cents) <> sum(credit_cents)) then
        raise exception 'a journal entry does not balance' using errcode = 'check_violation', constraint = 'journal_entry_balances';
      end if;
      insert into account_month as kept (organization_id, account_id, month, shard, debit_cents, credit_cents)
        select organization_id, account_id, date_trunc('month', entry_date)::date, pg_backend_pid() % 8, sum(debit_cents), sum(credit_cents)
        from added group by 1, 2, 3 order by 2, 3
        on conflict (organization_id, account_id, month, shard)
        do update set debit_cents = kept.debit_cents + excluded.debit_cents, credit_cents = kept.credit_cents + excluded.credit_cents;
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, 'journal_entry', pg_backend_pid() % 8, count(distinct entry_id), sum(debit_cents) from added group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $$`);
    // Rents of a month share their due date and posting time. With the id in the index, a page is read without sorting all rows of that time.
    this.addSql(`drop index charge_by_due_date; create index charge_by_due_date on charge (organization_id, due_date, id);
      drop index journal_entry_by_occurrence; create index journal_entry_by_occurrence on journal_entry (organization_id, occurred_at, id);
      drop index payment_by_receipt; create index payment_by_receipt on payment (organization_id, received_at, id)`);
    this.addSql(`create trigger list_total_is_kept before delete or truncate on list_total for each statement execute function refuse_change();
    create trigger list_total_follows_rows before insert or update on list_total for each statement when (pg_trigger_depth() = 0) execute function refuse_change()`);
  }
}
