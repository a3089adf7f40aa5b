CREATE OR REPLACE FUNCTION public.keep_balances()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      is_unbalanced boolean;
      is_incomplete boolean;
    begin
      -- The count of all lines of the entry differs from the count of the added ones if the entry had lines before.
      select bool_or(not line.is_balanced), bool_or(e.id is null or line.lines <> (select count(*) from journal_line l where l.organization_id = line.organization_id and l.entry_id = line.entry_id))
        into is_unbalanced, is_incomplete
        from (select organization_id, entry_id, count(*) as lines, sum(debit_cents) as debit_cents, min(entry_date) as first_date, max(entry_date) as last_date,
            sum(debit_cents) = sum(credit_cents)
              and sum(debit_cents) filter (where cash_account_id is not null) is not distinct from sum(credit_cents) filter (where cash_account_id is not null) as is_balanced
          from added group by 1, 2) line
        left join journal_entry e on e.organization_id = line.organization_id and e.id = line.entry_id and e.status = 'posted'
          and e.debit_total_cents = line.debit_cents and e.entry_date = line.first_date and e.entry_date = line.last_date;
      if is_unbalanced then
        raise exception 'a journal entry does not balance' using errcode = 'check_violation', constraint = 'journal_entry_balances';
      end if;
      if is_incomplete then
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
      insert into account_day as kept (organization_id, account_id, day, shard, debit_cents, credit_cents, lines, cash_debit_cents, cash_credit_cents, cash_lines)
        select organization_id, account_id, entry_date, own_shard(organization_id),
          sum(debit_cents * is_accrual), sum(credit_cents * is_accrual), sum(is_accrual), sum(debit_cents * is_cash), sum(credit_cents * is_cash), sum(is_cash)
        from (select organization_id, account_id, entry_date, debit_cents, credit_cents, 1 as is_accrual, (cash_account_id is not distinct from account_id)::int as is_cash from added
          union all select organization_id, cash_account_id, entry_date, debit_cents, credit_cents, 0, 1 from added where cash_account_id <> account_id) line
        group by 1, 2, 3 order by 2, 3
        on conflict (organization_id, account_id, day, shard)
        do update set debit_cents = kept.debit_cents + excluded.debit_cents, credit_cents = kept.credit_cents + excluded.credit_cents, lines = kept.lines + excluded.lines,
          cash_debit_cents = kept.cash_debit_cents + excluded.cash_debit_cents, cash_credit_cents = kept.cash_credit_cents + excluded.cash_credit_cents,
          cash_lines = kept.cash_lines + excluded.cash_lines;
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, 'journal_entry', own_shard(organization_id), count(distinct entry_id), sum(debit_cents) from added group by 1 order by 1
        on conflict (organization_id, list, shard)
        do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $function$;
CREATE TRIGGER keep_balances AFTER INSERT ON public.journal_line REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_balances();
