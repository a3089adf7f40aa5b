import { Migration } from "@mikro-orm/migrations";

/**
 * The database admits an entry only as a whole: all of its lines are inserted by one statement, on the day of the entry and
 * with its totals, when the entry is posted. No line is added later, and no entry is posted without lines. The lines balance on
 * the cash basis, too.
 */
export class GuardedEntries extends Migration {
  override up(): void {
    this.addSql(`alter table journal_entry
      add constraint journal_entry_status_known check (status in ('draft', 'posted', 'reversed')),
      add constraint journal_entry_source_known check (source in ('manual', 'charge', 'payment', 'allocation', 'credit', 'refund', 'deposit', 'reversal'))`);
    this.addSql(`create or replace function keep_balances() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if exists (select from added group by organization_id, entry_id having sum(debit_cents) <> sum(credit_cents)
          or sum(debit_cents) filter (where cash_account_id is not null) is distinct from sum(credit_cents) filter (where cash_account_id is not null)) then
        raise exception 'a journal entry does not balance' using errcode = 'check_violation', constraint = 'journal_entry_balances';
      end if;
      -- The count of all lines of the entry differs from the count of the added ones if the entry had lines before.
      if exists (select from (select organization_id, entry_id, count(*) as lines, sum(debit_cents) as debit_cents, min(entry_date) as first_date, max(entry_date) as last_date
            from added group by 1, 2) line
          left join journal_entry e on e.organization_id = line.organization_id and e.id = line.entry_id and e.status = 'posted'
            and e.debit_total_cents = line.debit_cents and e.entry_date = line.first_date and e.entry_date = line.last_date
          where e.id is null or line.lines <> (select count(*) from journal_line l where l.organization_id = line.organization_id and l.entry_id = line.entry_id)) then
        raise exception 'a journal entry gets its lines once, when it is posted' using errcode = 'check_violation', constraint = 'journal_entry_posted_with_lines';
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
    // Deferred, because an entry is inserted before its lines.
    this.addSql(`create function require_lines() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if not exists (select from journal_line where organization_id = new.organization_id and entry_id = new.id) then
        raise exception 'a journal entry is posted with lines' using errcode = 'check_violation', constraint = 'journal_entry_posted_with_lines';
      end if;
      return null;
    end $$;
    create constraint trigger journal_entry_has_lines after insert or update of status on journal_entry deferrable initially deferred
      for each row when (new.status = 'posted') execute function require_lines()`);
  }
}
