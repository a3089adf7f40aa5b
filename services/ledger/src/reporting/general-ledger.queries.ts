/**
 * Query of a page of the general ledger. Without a filter by property, owner or version, the totals of months and days give the
 * balance and the number of lines before the day of the page, so that only lines of that day and of the page itself are read, however
 * long the history is.
 */
import type { GeneralLedgerEntry } from "@freehold/contract/ledger/accounting-reports";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { addDays, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import type { z } from "zod";
import { accountColumn, dayTotals, isWholeAccounts, lineConditions, linesByAccount, totalsOn, type LineFilter } from "./account-movements.ts";

/** Line as stored, without what is computed for the response. */
export type StoredEntry = Omit<z.output<typeof GeneralLedgerEntry>, "accountCode" | "accountName" | "balanceCents">;

/** Row of the page's query: a line, or null on an empty page, with the totals of all pages. */
interface PageRow {
  total: number;
  openingCents: string;
  closingCents: string;
  entry: StoredEntry | null;
  balanceCents: string | null;
}

type Query = LineFilter & { from: string; to: string; page: number; pageSize: number };

/** Selects the lines of a page in the order of date and id; a single row without a line when the page is empty. */
export function generalLedgerPage(db: OrgDb, query: Query): RawBuilder<PageRow> {
  const { from, to, page, pageSize } = query;
  const firstMonth = startOfMonth(from);
  const lineCount = sql`(select skipped + ${pageSize}::bigint from page_start)`;
  return sql<PageRow>`
    with month_total as materialized (${monthTotals(db, query)}),
      before_from as materialized (select coalesce(sum(cents), 0) as cents, coalesce(sum(lines), 0) as lines
        from (${totalsByDay(db, query, sql`${firstMonth}`, sql`${addDays(from, -1)}`)}) total),
      after_to as materialized (select coalesce(sum(cents), 0) as cents, coalesce(sum(lines), 0) as lines
        from (${totalsByDay(db, query, sql`${addDays(to, 1)}`, sql`${endOfMonth(to)}`)}) total),
      total as (select coalesce(sum(lines) filter (where month >= ${firstMonth}::date), 0) - (select lines from before_from) - (select lines from after_to) as lines,
          coalesce(sum(cents) filter (where month < ${firstMonth}::date), 0) + (select cents from before_from) as opening_cents,
          coalesce(sum(cents), 0) - (select cents from after_to) as closing_cents from month_total),
      page_month as materialized (select month, position - lines_before as skipped
        from (${cumulate(sql`month`, sql`month_total where month >= ${firstMonth}::date`)}) m,
          (select ${(page - 1) * pageSize}::bigint + lines as position from before_from) p
        where lines_through > position order by month limit 1),
      day_of_month as materialized (${totalsByDay(db, query, sql`(select month from page_month)`, sql`(select month + interval '1 month' - interval '1 day' from page_month)`)}),
      page_start as materialized (select day, (skipped - lines_before)::bigint as skipped from (${cumulate(sql`day`, sql`day_of_month`)}) d, page_month
        where lines_through > skipped order by day limit 1),
      line as (select *, sum(debit_cents - credit_cents) over (partition by account_id order by entry_date, id) as change_cents
        from (select * from (${lines(db, query, sql`(select day from page_start)`, sql`${to}`, lineCount)}) line order by entry_date, id limit ${lineCount}) line),
      page as materialized (select * from line order by entry_date, id offset (select skipped from page_start))
    select total.lines::bigint as total, total.opening_cents::text as opening_cents, total.closing_cents::text as closing_cents,
      case when page.id is not null then jsonb_build_object('id', page.id, 'date', page.entry_date, 'journalEntryId', l.entry_id, 'memo', e.memo, 'description', l.description,
        'accountId', page.account_id, 'propertyId', l.property_id, 'unitId', l.unit_id, 'ownerId', l.owner_id, 'leaseId', l.lease_id, 'tenantId', l.tenant_id,
        'debitCents', l.debit_cents, 'creditCents', l.credit_cents) end as entry,
      (page.change_cents + coalesce((select sum(cents) from month_total t where t.account_id = page.account_id and t.month < (select month from page_month)), 0)
        + coalesce((select sum(cents) from day_of_month t where t.account_id = page.account_id and t.day < (select day from page_start)), 0))::text as balance_cents
    from total left join page on true
      left join journal_line l on l.organization_id = ${db.organizationId} and l.id = page.id
      left join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
    order by page.entry_date, page.id`;
}

/** Selects `cents` (debits positive) and the number of `lines` of each account in each month up to the last one. */
function monthTotals(db: OrgDb, query: Query): RawBuilder<unknown> {
  if (!isWholeAccounts(query))
    return sql`select ${accountColumn(query.basis)} as account_id, date_trunc('month', l.entry_date)::date as month, sum(l.debit_cents - l.credit_cents) as cents, count(*) as lines
      from journal_line l where ${lineConditions(db, query)} and l.entry_date <= ${endOfMonth(query.to)} group by 1, 2`;
  return sql`select account_id, month, sum(debit_cents - credit_cents) as cents, sum(lines) as lines
    from (select account_id, month, ${totalsOn(query.basis)} from account_month
      where organization_id = ${db.organizationId} and month <= ${startOfMonth(query.to)} ${query.accountId === undefined ? sql`` : sql`and account_id = ${query.accountId}`}) total
    group by 1, 2`;
}

/** Selects `cents` (debits positive) and the number of `lines` of each account on each day between two dates. */
function totalsByDay(db: OrgDb, query: Query, from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<unknown> {
  const totals = isWholeAccounts(query)
    ? dayTotals(db, query, from, to)
    : sql`select *, entry_date as day, 1 as lines from (${lines(db, query, from, to)}) line`;
  return sql`select account_id, day, sum(debit_cents - credit_cents) as cents, sum(lines) as lines from (${totals}) total group by 1, 2`;
}

/** Selects each value of a column with the number of lines before it and through it. */
const cumulate = (column: RawBuilder<unknown>, totals: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ${column}, sum(sum(lines)) over (order by ${column}) as lines_through, sum(sum(lines)) over (order by ${column}) - sum(lines) as lines_before
    from ${totals} group by ${column}`;

/** Selects the matching lines between two dates; with a limit at least the first ones in the order of date and id. */
function lines(db: OrgDb, query: Query, from: RawBuilder<unknown>, to: RawBuilder<unknown>, limit?: RawBuilder<unknown>): RawBuilder<unknown> {
  if (isWholeAccounts(query)) return linesByAccount(db, query, from, to, limit);
  return sql`select l.id, ${accountColumn(query.basis)} as account_id, l.entry_date, l.debit_cents, l.credit_cents
    from journal_line l where ${lineConditions(db, query)} and l.entry_date between ${from}::date and ${to}::date`;
}
