/** Full-text and amount search of payments, charges and expenses. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { TransactionMatch, TransactionMatches, SearchTransactionsRequest } from "@freehold/proto/ledger/v1/ledger";

/** Maximum number of matches of each type that are counted and sorted; the newest are preferred. */
const MAX_MATCHES = 1_000;
/** Maximum number of tenants whose name matches; a more common name needs another word in the query. */
const MAX_TENANTS = 50;

interface TransactionType {
  table: "payment" | "charge" | "expense";
  /** Column that dates the transaction. */
  dateColumn: RawBuilder<unknown>;
  /** Joins the party to the transaction `t`. */
  join: RawBuilder<unknown>;
  /** Columns of the match. */
  columns: (timezone: string) => RawBuilder<unknown>;
  /** True for a type of which only some have words of their own; the others are found through their tenant. */
  isFoundByTenant: boolean;
}

const joinTenant = sql`left join tenant_copy tenant on tenant.organization_id = t.organization_id and tenant.id = t.tenant_id`;

const transactionTypes: Record<string, TransactionType> = {
  payment: {
    table: "payment",
    dateColumn: sql`received_at`,
    join: joinTenant,
    columns: (timezone) => sql`tenant.full_name as tenant_name, t.check_number, (t.received_at at time zone ${timezone}::text)::date as day`,
    isFoundByTenant: true,
  },
  charge: {
    table: "charge",
    dateColumn: sql`due_date`,
    join: joinTenant,
    columns: () => sql`tenant.full_name as tenant_name, t.name, t.memo, t.due_date as day`,
    isFoundByTenant: true,
  },
  expense: {
    table: "expense",
    dateColumn: sql`incurred_on`,
    join: sql`left join vendor_copy vendor on vendor.organization_id = t.organization_id and vendor.id = t.vendor_id`,
    columns: () => sql`vendor.name as vendor_name, t.name, t.description as memo, t.invoice_number, t.incurred_on as day`,
    isFoundByTenant: false,
  },
};

const texts = ["tenantName", "vendorName", "name", "memo", "checkNumber", "invoiceNumber"] as const;
type MatchRow = Omit<TransactionMatch, (typeof texts)[number]> & Partial<Record<(typeof texts)[number], string | null>> & { total: number };

/** Returns the newest matches of each type, at most `limit` each, and the number of matches by type. */
export async function searchTransactions(db: OrgDb, { types, limit, ...filter }: SearchTransactionsRequest): Promise<TransactionMatches> {
  const rowsByType = await Promise.all(types.map((type) => findMatches(db, type, filter, limit)));
  return {
    matches: rowsByType.flat().map(matchView),
    counts: Object.fromEntries(types.map((type, index) => [type, rowsByType[index]![0]?.total ?? 0])),
  };
}

const matchView = ({ type, id, amountCents, day, ...row }: MatchRow): TransactionMatch => ({
  type,
  id,
  amountCents,
  day,
  ...Object.fromEntries(texts.flatMap((text) => (row[text] ? [[text, row[text]]] : []))),
});

type SearchFilter = Pick<SearchTransactionsRequest, "patterns" | "amountCents">;

function findMatches(db: OrgDb, type: string, { patterns, amountCents }: SearchFilter, limit: number): Promise<MatchRow[]> {
  const { table, dateColumn, join, columns, isFoundByTenant } = transactionTypes[type]!;
  const newest = (
    condition: RawBuilder<unknown>,
  ) => sql`(select id, ${dateColumn} as dated_at from ${sql.table(table)} where organization_id = ${db.organizationId} and ${condition}
    and ${amountCents === undefined ? sql`true` : sql`amount_cents = ${amountCents}`} order by ${dateColumn} desc, id desc limit ${sql.lit(MAX_MATCHES)})`;
  const byWords = () => newest(sql`id = any(array(${findEntries(patterns, type, MAX_MATCHES)}))`);
  const byTenant = () => newest(sql`tenant_id = any(array(${findEntries(patterns, "tenant", MAX_TENANTS)}))`);
  const matches = patterns.length === 0 ? newest(sql`true`) : isFoundByTenant ? sql`${byWords()} union ${byTenant()}` : byWords();
  return db.all(sql<MatchRow>`with matches as materialized (${matches}),
      page as (select id, dated_at, least(count(*) over (), ${sql.lit(MAX_MATCHES)}) as total from matches order by dated_at desc, id desc limit ${limit})
    select ${type}::text as type, t.id, t.amount_cents, ${columns(db.principal.timezone)}, page.total
    from page join ${sql.table(table)} t on t.organization_id = ${db.organizationId} and t.id = page.id ${join}
    order by page.dated_at desc, page.id desc`);
}

/** Selects the ids of the search entries of an entity type that match all patterns. */
const findEntries = (patterns: readonly string[], entityType: string, limit: number): RawBuilder<unknown> =>
  sql`select find_search_entries(${[...patterns]}::text[], ${entityType}, ${sql.lit(limit)})`;
