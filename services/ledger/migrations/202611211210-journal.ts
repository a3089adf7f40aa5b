import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Journal, with triggers that apply to every role: the lines inserted by one statement must balance within each entry, a posted
 * entry can change only to `reversed`, lines and entries are never deleted, and the monthly balances are updated with the lines.
 */
export class Journal extends Migration {
  override up(): void {
    this.addSql(`create table journal_entry (${orgColumnsSql},
      memo text not null,
      occurred_at timestamptz(3) not null,
      entry_date date not null,
      status text not null,
      source text not null,
      debit_total_cents bigint not null,
      credit_total_cents bigint not null,
      draft_lines jsonb,
      reverses_id uuid,
      reversed_by_id uuid,
      created_by_user_id uuid,
      constraint journal_entry_balances check (status = 'draft' or (debit_total_cents = credit_total_cents and debit_total_cents > 0)),
      constraint journal_entry_keeps_lines_apart_until_posted check ((status = 'draft') = (draft_lines is not null)),
      constraint journal_entry_reverses_one_of_its_own foreign key (organization_id, reverses_id) references journal_entry (organization_id, id)
    );
    create unique index journal_entry_reversed_once on journal_entry (organization_id, reverses_id) where reverses_id is not null;
    create index journal_entry_by_occurrence on journal_entry (organization_id, occurred_at);
    ${rowLevelSecuritySql("journal_entry")}`);
    this.addSql(`create table journal_line (
      organization_id uuid not null,
      id uuid not null,
      entry_id uuid not null,
      account_id uuid not null,
      cash_account_id uuid,
      entry_date date not null,
      debit_cents bigint not null,
      credit_cents bigint not null,
      property_id uuid,
      unit_id uuid,
      owner_id uuid,
      lease_id uuid,
      tenant_id uuid,
      description text,
      primary key (organization_id, id),
      constraint journal_line_has_one_side check ((debit_cents > 0 and credit_cents = 0) or (credit_cents > 0 and debit_cents = 0)),
      constraint journal_line_of_an_entry foreign key (organization_id, entry_id) references journal_entry (organization_id, id),
      constraint journal_line_on_an_account foreign key (organization_id, account_id) references category (organization_id, id)
    );
    create index journal_line_by_entry on journal_line (organization_id, entry_id);
    create index journal_line_by_account on journal_line (organization_id, account_id, entry_date);
    create index journal_line_by_property on journal_line (organization_id, property_id, entry_date) where property_id is not null;
    ${rowLevelSecuritySql("journal_line")}`);
    this.addSql(`create table account_month (
      organization_id uuid not null,
      account_id uuid not null,
      month date not null,
      shard smallint not null,
      debit_cents bigint not null,
      credit_cents bigint not null,
      primary key (organization_id, account_id, month, shard)
    );
    ${rowLevelSecuritySql("account_month")}`);
    // Eight rows per account and month, chosen by connection: with a single row every posting would wait for the previous one to commit.
    this.addSql(`create function keep_balances() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if exists (select from added group by organization_id, entry_id having sum(debit_cents) <> sum(credit_cents)) then
        raise exception 'a journal entry does not balance' using errcode = 'check_violation', constraint = 'journal_entry_balances';
      end if;
      insert into account_month as kept (organization_id, account_id, month, shard, debit_cents, credit_cents)
        select organization_id, account_id, date_trunc('month', entry_date)::date, pg_backend_pid() % 8, sum(debit_cents), sum(credit_cents)
        from added group by 1, 2, 3 order by 2, 3
        on conflict (organization_id, account_id, month, shard)
        do update set debit_cents = kept.debit_cents + excluded.debit_cents, credit_cents = kept.credit_cents + excluded.credit_cents;
      return null;
    end $$;
    create trigger keep_balances after insert on journal_line referencing new table as added for each statement execute function keep_balances()`);
    this.addSql(`create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the journal is never rewritten: post a reversal' using errcode = 'insufficient_privilege';
    end $$;
    create trigger journal_line_is_final before update or delete or truncate on journal_line for each statement execute function refuse_change();
    create trigger journal_entry_is_kept before delete or truncate on journal_entry for each statement execute function refuse_change();
    create trigger account_month_is_kept before delete or truncate on account_month for each statement execute function refuse_change();
    create trigger account_month_follows_lines before insert or update on account_month for each statement when (pg_trigger_depth() = 0) execute function refuse_change()`);
    this.addSql(`create function refuse_edit_of_posted() returns trigger language plpgsql as $$
    begin
      if old.status <> 'draft' and not (old.status = 'posted' and new.status = 'reversed' and new.reversed_by_id is not null and old.reversed_by_id is null
        and (new.organization_id, new.id, new.memo, new.occurred_at, new.entry_date, new.source, new.debit_total_cents, new.credit_total_cents, new.reverses_id, new.created_by_user_id, new.created_at)
          is not distinct from (old.organization_id, old.id, old.memo, old.occurred_at, old.entry_date, old.source, old.debit_total_cents, old.credit_total_cents, old.reverses_id, old.created_by_user_id, old.created_at)) then
        raise exception 'a posted entry never changes: post a reversal' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$;
    create trigger journal_entry_is_final before update on journal_entry for each row execute function refuse_edit_of_posted()`);
  }
}
