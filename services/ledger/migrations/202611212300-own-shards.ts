import { ownShardSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** Triggers that maintain totals choose the shard by transaction instead of by connection. */
export class ShardsByTransaction extends Migration {
  override up(): void {
    this.addSql(ownShardSql);
    this.addSql(`create or replace function keep_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, tg_table_name, own_shard(organization_id), count(*), sum(amount_cents) from added group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      if tg_table_name = 'charge' then
        insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
          select organization_id, 'open_charge', own_shard(organization_id), count(*), sum(balance_cents) from added where balance_cents > 0 group by 1
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      end if;
      return null;
    end $$`);
    this.addSql(`create or replace function keep_open_charges() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if new.balance_cents = 0 then
        delete from open_charge where organization_id = new.organization_id and charge_id = new.id;
      else
        insert into open_charge as kept values (new.organization_id, new.id, new.lease_id, new.tenant_id, new.property_id, new.charge_type, new.due_date, new.amount_cents, new.balance_cents)
          on conflict (organization_id, charge_id) do update set balance_cents = excluded.balance_cents;
      end if;
      if tg_op = 'UPDATE' and new.balance_cents <> old.balance_cents then
        insert into list_total as kept values (new.organization_id, 'open_charge', own_shard(new.organization_id),
            (new.balance_cents > 0)::int - (old.balance_cents > 0)::int, new.balance_cents - old.balance_cents)
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      end if;
      return null;
    end $$`);
    this.addSql(`create or replace function keep_balances() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if exists (select from added group by organization_id, entry_id having sum(debit_cents) <> sum(credit_cents)) then
        raise exception 'a journal entry does not balance' using errcode = 'check_violation', constraint = 'journal_entry_balances';
      end if;
      insert into account_month as kept (organization_id, account_id, month, shard, debit_cents, credit_cents)
        select organization_id, account_id, date_trunc('month', entry_date)::date, own_shard(organization_id), sum(debit_cents), sum(credit_cents)
        from added group by 1, 2, 3 order by 2, 3
        on conflict (organization_id, account_id, month, shard)
        do update set debit_cents = kept.debit_cents + excluded.debit_cents, credit_cents = kept.credit_cents + excluded.credit_cents;
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, 'journal_entry', own_shard(organization_id), count(distinct entry_id), sum(debit_cents) from added group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $$`);
  }
}
