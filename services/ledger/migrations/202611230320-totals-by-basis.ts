import { Migration } from "@mikro-orm/migrations";

const tables = ["journal_line", "account_month"];
const forEachTable = (statementFor: (table: string) => string): string => tables.map(statementFor).join("; ");

/**
 * The monthly totals of an account include its totals on the cash basis and the number of its lines on each basis, so that a
 * report starts at any month without reading the lines before. Indexes order the lines of an account by date and id.
 *
 * The database admits an entry only as a whole: all of its lines are inserted by one statement, on the day of the entry and
 * with its totals, when the entry is posted. No line is added later. The lines balance on the cash basis, too.
 */
export class TotalsByBasis extends Migration {
  override up(): void {
    this.addSql(`alter table account_month add cash_debit_cents bigint not null default 0, add cash_credit_cents bigint not null default 0,
      add lines int not null default 0, add cash_lines int not null default 0`);
    this.addSql(forEachTable((table) => `alter table ${table} no force row level security`));
    this.addSql(forEachTable((table) => `alter table ${table} disable trigger user`));
    this.addSql(`delete from account_month`);
    this.addSql(`insert into account_month (organization_id, account_id, month, shard, debit_cents, credit_cents, lines, cash_debit_cents, cash_credit_cents, cash_lines)
      select organization_id, account_id, date_trunc('month', entry_date)::date, 0,
        coalesce(sum(debit_cents) filter (where basis = 'accrual'), 0), coalesce(sum(credit_cents) filter (where basis = 'accrual'), 0), count(*) filter (where basis = 'accrual'),
        coalesce(sum(debit_cents) filter (where basis = 'cash'), 0), coalesce(sum(credit_cents) filter (where basis = 'cash'), 0), count(*) filter (where basis = 'cash')
      from (select 'accrual' as basis, organization_id, account_id, entry_date, debit_cents, credit_cents from journal_line
        union all select 'cash', organization_id, cash_account_id, entry_date, debit_cents, credit_cents from journal_line where cash_account_id is not null) line
      group by 1, 2, 3`);
    this.addSql(forEachTable((table) => `alter table ${table} enable trigger user`));
    this.addSql(forEachTable((table) => `alter table ${table} force row level security`));
    this.addSql(`drop index journal_line_by_account;
      create index journal_line_by_account on journal_line (organization_id, account_id, entry_date, id) include (entry_id);
      create index journal_line_by_cash_account on journal_line (organization_id, cash_account_id, entry_date, id) where cash_account_id is not null`);
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
      insert into account_month as kept (organization_id, account_id, month, shard, debit_cents, credit_cents, lines, cash_debit_cents, cash_credit_cents, cash_lines)
        select organization_id, account_id, date_trunc('month', entry_date)::date, own_shard(organization_id),
          sum(debit_cents * is_accrual), sum(credit_cents * is_accrual), sum(is_accrual), sum(debit_cents * is_cash), sum(credit_cents * is_cash), sum(is_cash)
        from (select organization_id, account_id, entry_date, debit_cents, credit_cents, 1 as is_accrual, (cash_account_id is not distinct from account_id)::int as is_cash from added
          union all select organization_id, cash_account_id, entry_date, debit_cents, credit_cents, 0, 1 from added where cash_account_id <> account_id) line
        group by 1, 2, 3 order by 2, 3
        on conflict (organization_id, account_id, month, shard)
        do update set debit_cents = kept.debit_cents + excluded.debit_cents, credit_cents = kept.credit_cents + excluded.credit_cents, lines = kept.lines + excluded.lines,
          cash_debit_cents = kept.cash_debit_cents + excluded.cash_debit_cents, cash_credit_cents = kept.cash_credit_cents + excluded.cash_credit_cents,
          cash_lines = kept.cash_lines + excluded.cash_lines;
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, 'journal_entry', own_shard(organization_id), count(distinct entry_id), sum(debit_cents) from added group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $$`);
  }
}
