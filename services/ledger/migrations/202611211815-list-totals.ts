import { wall } from "@freehold/kit/entity";
import { Migration } from "@mikro-orm/migrations";

/** A list that is asked for whole says how many rows it has without counting millions: the database keeps it as rows are added. */
export class ListTotals extends Migration {
  override up(): void {
    // As with the kept months, a few rows for each list, one for each connection: nobody waits for another's.
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
    insert into list_total select organization_id, 'payment', 0, count(*), sum(amount_cents) from payment group by 1;
    insert into list_total select organization_id, 'journal_entry', 0, count(distinct entry_id), sum(debit_cents) from journal_line group by 1;
    alter table charge force row level security;
    alter table payment force row level security;
    alter table journal_line force row level security;
    ${wall("list_total")}`);
    this.addSql(`create function keep_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, tg_table_name, pg_backend_pid() % 8, count(*), sum(amount_cents) from added group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $$;
    create trigger keep_list_total after insert on charge referencing new table as added for each statement execute function keep_list_total();
    create trigger keep_list_total after insert on payment referencing new table as added for each statement execute function keep_list_total()`);
    // All lines of an entry are written by one statement, which so counts the entries as it keeps the balances.
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
    this.addSql(`create trigger list_total_is_kept before delete or truncate on list_total for each statement execute function refuse_change();
    create trigger list_total_follows_rows before insert or update on list_total for each statement when (pg_trigger_depth() = 0) execute function refuse_change()`);
  }
}
