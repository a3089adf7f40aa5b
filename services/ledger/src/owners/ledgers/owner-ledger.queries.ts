/** Queries of the ledger of an owner: income, expenses and equity of properties, divided by share. */
import type { ownerLedgers } from "@freehold/contract/trust/owner-ledgers";
import type { QueryOf } from "@freehold/contract/operation";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { isChangedEntry } from "../../reporting/changed-entries.ts";
import { isInVersion } from "../../reporting/ledger-version.ts";
import type { ShareTerm } from "../ownership.rules.ts";

type Query = Pick<
  QueryOf<typeof ownerLedgers.operations.listOwnerLedger>,
  "from" | "basis" | "updatedAfter" | "includeDeleted" | "sortDirection" | "page" | "pageSize"
> & {
  ownerId: string;
  to: string;
  ledgerVersion: number | undefined;
};

/** Row of a page: an entry, or nulls on an empty page, with the totals of all pages. */
export interface OwnerLedgerRow {
  total: number;
  openingCents: number;
  closingCents: number;
  journalEntryId: string | null;
  date: string;
  propertyId: string;
  accountId: string;
  accountCode: string;
  accountName: string;
  description: string;
  shareBps: number | null;
  totalCents: number;
  ownCents: number;
  balanceCents: number;
}

/** Selects a page of the ledger of an owner up to a day; a single row without an entry when the page is empty. */
export function ownerLedgerPage(db: OrgDb, terms: readonly ShareTerm[], query: Query): RawBuilder<OwnerLedgerRow> {
  const { from = "0001-01-01", to, page, pageSize } = query;
  const sumWhere = (condition: RawBuilder<unknown>) => clampSumToSafeInteger(sql`coalesce(sum(own_cents) filter (where ${condition}), 0)`);
  const order = ["entry_date", "entry_id", "code", "property_id", "whose", "owned_on"];
  const sorted = (table: string, direction = query.sortDirection) =>
    sql.join(order.map((column) => sql`${sql.ref(`${table}.${column}`)} ${sql.raw(direction)}`));
  const isListed = sql`entry_date between ${from} and ${to} and ${isChangedEntry(db, sql`ledger.entry_id`, query)}`;
  return sql<OwnerLedgerRow>`
    with ledger as materialized (select *, sum(own_cents) over (order by ${sorted("movement", "asc")}) as balance from (${selectOwnedMovements(db, terms, query)}) movement
        where owner_id = ${query.ownerId}),
      total as (select count(*) filter (where ${isListed}) as total, ${sumWhere(sql`entry_date < ${from}`)} as opening_cents,
        ${sumWhere(sql`true`)} as closing_cents from ledger where entry_date <= ${to}),
      page as materialized (select * from ledger where ${isListed} order by ${sorted("ledger")} limit ${pageSize} offset ${(page - 1) * pageSize})
    select total.*, page.entry_id as journal_entry_id, page.entry_date as date, page.property_id, page.account_id, page.code as account_code, page.name as account_name,
      e.memo as description, page.share_bps, ${clampSumToSafeInteger(sql`page.total_cents`)} as total_cents, ${clampSumToSafeInteger(sql`page.own_cents`)} as own_cents,
      ${clampSumToSafeInteger(sql`page.balance`)} as balance_cents
    from total left join page on true left join journal_entry e on e.organization_id = ${db.organizationId} and e.id = page.entry_id
    order by ${sorted("page")}`;
}

/**
 * Selects the movements of the money of owners: for each entry, property, account and owner the amount and the part of the owner in it.
 * Amounts that name an owner are that owner's alone. All others are divided by the shares on one day on both bases: the due date of the
 * charge, the day that the expense names or on which it was incurred, for a reversal the date of the entry that it reverses, and else that of the entry.
 * So a sale of a share moves neither rent in arrears nor unpaid expenses to the buyer. Each charge and expense of an entry is divided by itself, so that
 * an entry that undoes one of them gives each owner back what the owner had of it. The entries of a charge or an expense itself have the day with
 * which they were posted, so that another day of the document changes no entry of before. With a condition, only of the journal lines `l` that meet it.
 */
export function selectOwnedMovements(
  db: StatementRunner,
  terms: readonly ShareTerm[],
  { basis, ledgerVersion }: Pick<Query, "basis" | "ledgerVersion">,
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const account = sql.ref(basis === "cash" ? "l.cash_account_id" : "l.account_id");
  const propertyIds = [...new Set(terms.map(({ propertyId }) => propertyId))];
  const postedFor = sql`coalesce(reversed.moved_from, reversed.entry_date, e.moved_from, l.entry_date)`;
  const partOf = (bps: RawBuilder<unknown>) => sql`div(abs(m.total_cents) * ${bps}, 10000)`;
  const part = sql`case when t.takes_remainder then abs(m.total_cents) - (select coalesce(sum(${partOf(sql`other`)}), 0) from unnest(t.other_bps) other) else ${partOf(sql`t.share_bps`)} end`;
  return sql`select m.entry_id, m.entry_date, m.property_id, m.account_id, m.code, m.name, m.whose, m.owned_on, coalesce(m.own_id, t.owner_id) as owner_id, t.share_bps,
      sum(m.total_cents) as total_cents, sum(case when m.whose = 'owner' then m.total_cents else sign(m.total_cents) * ${part} end) as own_cents
    from (select l.entry_id, l.entry_date, l.property_id, a.id as account_id, a.code, a.name, l.owner_id as own_id, case when l.owner_id is null then 'all' else 'owner' end as whose,
        coalesce(case when coalesce(reversed.source, e.source) = 'charge' or (e.source_type = 'expense' and x.owned_on is null) then ${postedFor} end,
          c.due_date, x.owned_on, x.incurred_on, reversed.entry_date, l.entry_date) as owned_on,
        sum(l.credit_cents - l.debit_cents) as total_cents
      from journal_line l join category a on a.organization_id = l.organization_id and a.id = ${account}
        join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
        left join journal_entry reversed on reversed.organization_id = e.organization_id and reversed.id = e.reverses_id
        left join charge c on c.organization_id = l.organization_id and c.id = l.charge_id
        left join expense x on x.organization_id = l.organization_id and x.id = l.expense_id
      where l.organization_id = ${db.organizationId} and l.property_id = any(${propertyIds}::uuid[]) and a.account_type in ('income', 'expense', 'equity')
        and ${isInVersion(db, ledgerVersion, "l")} and ${condition}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, l.charge_id, l.expense_id having sum(l.credit_cents) <> sum(l.debit_cents)) m
    left join (${selectTerms(terms)}) t on m.whose = 'all' and t.property_id = m.property_id and m.owned_on between t.first_day and t.last_day
    where m.whose = 'owner' or t.property_id is not null
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 having sum(m.total_cents) <> 0 or sum(sign(m.total_cents) * ${part}) <> 0`;
}

function selectTerms(terms: readonly ShareTerm[]): RawBuilder<unknown> {
  const rows = terms.map(({ propertyId, ownerId, firstDay, lastDay, shareBps, otherBps, takesRemainder }) => ({
    property_id: propertyId,
    owner_id: ownerId,
    first_day: firstDay,
    last_day: lastDay,
    share_bps: shareBps,
    other_bps: otherBps,
    takes_remainder: takesRemainder,
  }));
  return sql`select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as term(property_id uuid, owner_id uuid, first_day date, last_day date, share_bps int, other_bps int[], takes_remainder boolean)`;
}

/** Returns the condition that an entry belongs to a payout to an owner. */
export const isOfPayout = (db: StatementRunner, entryId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from journal_entry e where e.organization_id = ${db.organizationId} and e.id = ${entryId} and e.source_type = 'owner_payable')`;

/** Selects the balance of each owner at each property on the cash basis at the end of a day; with `countsLaterPayouts`, less payouts after it. */
export function selectOwnerBalances(
  db: StatementRunner,
  terms: readonly ShareTerm[],
  asOf: string,
  countsLaterPayouts = false,
): RawBuilder<{ propertyId: string; ownerId: string; balanceCents: number }> {
  const soleOwners = findSoleOwners(terms);
  const isLaterPayout = (alias: string) => sql`${sql.ref(`${alias}.entry_date`)} > ${asOf} and ${isOfPayout(db, sql.ref(`${alias}.entry_id`))}`;
  const shared = terms.filter(({ propertyId }) => !soleOwners.has(propertyId));
  const sharedBalances = sql`select property_id, owner_id, own_cents as cents from (${selectOwnedMovements(db, shared, { basis: "cash", ledgerVersion: undefined })}) movement
    where movement.entry_date <= ${asOf} or (${countsLaterPayouts} and ${isLaterPayout("movement")})`;
  const isCounted = sql`l.entry_date <= ${asOf} or (${countsLaterPayouts} and ${isLaterPayout("l")})`;
  const soleLines = sql`journal_line l where l.organization_id = ${db.organizationId} and l.property_id = any(${[...soleOwners.keys()]}::uuid[])
      and l.cash_account_id = any(array(select id from category where organization_id = ${db.organizationId} and account_type in ('income', 'expense', 'equity')))`;
  // Nearly all lines: summed by nothing but the property, and apart from later payouts, so that several processes of the database share the work.
  const ownerless = sql`select l.property_id, sum(l.credit_cents - l.debit_cents) as cents from ${soleLines} and l.owner_id is null and l.entry_date <= ${asOf} group by 1`;
  return sql`select property_id, owner_id, ${clampSumToSafeInteger(sql`sum(cents)`)} as balance_cents from (${sharedBalances}
    union all select s.property_id, s.owner_id, own.cents from (${ownerless}) own
      join unnest(${[...soleOwners.keys()]}::uuid[], ${[...soleOwners.values()]}::uuid[]) s (property_id, owner_id) on s.property_id = own.property_id
    union all select l.property_id, l.owner_id, l.credit_cents - l.debit_cents from ${soleLines} and l.owner_id is not null and (${isCounted})) part
  group by 1, 2`;
}

/** Returns the owner of each property that has always had one only, whose amounts need not be divided. */
function findSoleOwners(terms: readonly ShareTerm[]): Map<string, string> {
  const byProperty = [...Map.groupBy(terms, ({ propertyId }) => propertyId)];
  return new Map(
    byProperty.flatMap(([propertyId, [term, ...others]]) =>
      others.length === 0 && term!.firstDay === "-infinity" && term!.lastDay === "infinity" ? [[propertyId, term!.ownerId]] : [],
    ),
  );
}
