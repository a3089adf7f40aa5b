/** Query of the ledger of a vendor. */
import type { vendorLedgers } from "@freehold/contract/payables/vendor-ledgers";
import type { QueryOf } from "@freehold/contract/operation";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_PAYABLE } from "../../chart/chart.ts";
import { isChangedEntry } from "../../reporting/changed-entries.ts";
import { isInVersion } from "../../reporting/ledger-version.ts";

type Query = Pick<
  QueryOf<typeof vendorLedgers.operations.listVendorLedger>,
  "from" | "updatedAfter" | "includeDeleted" | "sortDirection" | "page" | "pageSize"
> & {
  vendorId: string;
  to: string;
  ledgerVersion: number | undefined;
};

/** Row of a page: an entry, or nulls on an empty page, with the totals of all pages. */
export interface VendorLedgerRow {
  total: number;
  openingCents: number;
  closingCents: number;
  journalEntryId: string | null;
  date: string;
  source: string;
  sourceType: "expense" | "expense_payment";
  sourceId: string;
  description: string;
  netCents: number;
  balanceCents: number;
}

/** Selects a page of the ledger of a vendor up to a day; a single row without an entry when the page is empty. */
export function vendorLedgerPage(db: OrgDb, chart: Chart, query: Query): RawBuilder<VendorLedgerRow> {
  const { from = "0001-01-01", to, page, pageSize } = query;
  const direction = sql.raw(query.sortDirection);
  const isListed = sql`entry_date between ${from} and ${to} and ${isChangedEntry(db, sql`ledger.id`, query)}`;
  const sumWhere = (condition: RawBuilder<unknown>) => clampSumToSafeInteger(sql`coalesce(sum(net_cents) filter (where ${condition}), 0)`);
  return sql<VendorLedgerRow>`
    with ledger as materialized (select *, sum(net_cents) over (order by entry_date, id) as balance from (${selectEntries(db, chart, query)}) entry),
      total as (select count(*) filter (where ${isListed}) as total, ${sumWhere(sql`entry_date < ${from}`)} as opening_cents,
        ${sumWhere(sql`true`)} as closing_cents from ledger where entry_date <= ${to}),
      page as materialized (select * from ledger where ${isListed}
        order by entry_date ${direction}, id ${direction} limit ${pageSize} offset ${(page - 1) * pageSize})
    select total.*, page.id as journal_entry_id, page.entry_date as date, source, source_type, source_id, memo as description,
      ${clampSumToSafeInteger(sql`net_cents`)} as net_cents, ${clampSumToSafeInteger(sql`balance`)} as balance_cents
    from total left join page on true order by page.entry_date ${direction}, page.id ${direction}`;
}

/**
 * Selects the entries that change what is owed to a vendor, increases positive. They are found by their documents: the expenses of the
 * vendor, the payments to it, and the payments of others that settle its expenses. An expense without a vendor is owed to nobody in
 * particular, so its settlement by a payment to the vendor changes nothing.
 */
const selectEntries = (db: OrgDb, chart: Chart, { vendorId, ledgerVersion }: Query): RawBuilder<unknown> => sql`
  with own_expense as (select id from expense where organization_id = ${db.organizationId} and vendor_id = ${vendorId}),
    document as (select id from own_expense union select id from expense_payment where organization_id = ${db.organizationId} and vendor_id = ${vendorId}
      union select expense_payment_id from expense_allocation where organization_id = ${db.organizationId} and expense_id in (select id from own_expense))
  select e.id, e.entry_date, e.source, e.source_type, e.source_id, e.memo, sum(l.credit_cents - l.debit_cents) as net_cents
  from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
    left join expense x on x.organization_id = l.organization_id and x.id = l.expense_id
  where e.organization_id = ${db.organizationId} and e.source_id = any(array(select id from document))
    and l.account_id = ${chart.accountId(ACCOUNTS_PAYABLE)} and l.vendor_id = ${vendorId} and (l.expense_id is null or x.vendor_id is not null)
    and ${isInVersion(db, ledgerVersion, "l")}
  group by e.organization_id, e.id having sum(l.credit_cents) <> sum(l.debit_cents)`;
