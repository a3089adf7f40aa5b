/** Full-text and amount search of payments and charges. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { TransactionMatch, TransactionMatches, SearchTransactionsRequest } from "@freehold/proto/ledger/v1/ledger";

/** Maximum number of matches of each type that are counted and sorted; the newest are preferred. */
const MAX_MATCHES = 1_000;
/** Maximum number of tenants whose name matches; a more common name needs another word in the query. */
const MAX_TENANTS = 50;

interface TransactionType {
  table: "payment" | "charge";
  /** Column that dates the transaction. */
  dateColumn: RawBuilder<unknown>;
  /** Columns of the match that differ by type; `t` is the alias of the transaction. */
  columns: (timezone: string) => RawBuilder<unknown>;
}

const transactionTypes: Record<string, TransactionType> = {
  payment: {
    table: "payment",
    dateColumn: sql`received_at`,
    columns: (timezone) => sql`null as name, t.check_number, null as memo, (t.received_at at time zone ${timezone}::text)::date as day`,
  },
  charge: { table: "charge", dateColumn: sql`due_date`, columns: () => sql`t.name, null as check_number, t.memo, t.due_date as day` },
};

type MatchRow = Omit<TransactionMatch, "name" | "checkNumber" | "memo" | "tenantName"> & {
  name: string | null;
  checkNumber: string | null;
  memo: string | null;
  tenantName: string | null;
  total: number;
};

/** Returns the newest matches of each type, at most `limit` each, and the number of matches by type. */
export async function searchTransactions(db: OrgDb, { types, limit, ...filter }: SearchTransactionsRequest): Promise<TransactionMatches> {
  const rowsByType = await Promise.all(types.map((type) => findMatches(db, type, filter, limit)));
  return {
    matches: rowsByType.flat().map(matchView),
    counts: Object.fromEntries(types.map((type, index) => [type, rowsByType[index]![0]?.total ?? 0])),
  };
}

const matchView = ({ type, id, amountCents, day, ...texts }: MatchRow): TransactionMatch => ({
  type,
  id,
  amountCents,
  day,
  name: texts.name ?? undefined,
  checkNumber: texts.checkNumber ?? undefined,
  memo: texts.memo ?? undefined,
  tenantName: texts.tenantName ?? undefined,
});

type SearchFilter = Pick<SearchTransactionsRequest, "patterns" | "amountCents">;

function findMatches(db: OrgDb, type: string, { patterns, amountCents }: SearchFilter, limit: number): Promise<MatchRow[]> {
  const { table, dateColumn, columns } = transactionTypes[type]!;
  const newest = (
    condition: RawBuilder<unknown>,
  ) => sql`(select id, ${dateColumn} as dated_at from ${sql.table(table)} where organization_id = ${db.organizationId} and ${condition}
    and ${amountCents === undefined ? sql`true` : sql`amount_cents = ${amountCents}`} order by ${dateColumn} desc, id desc limit ${sql.lit(MAX_MATCHES)})`;
  const matches =
    patterns.length === 0
      ? newest(sql`true`)
      : sql`${newest(sql`id = any(array(${findEntries(patterns, type, MAX_MATCHES)}))`)} union ${newest(sql`tenant_id = any(array(${findEntries(patterns, "tenant", MAX_TENANTS)}))`)}`;
  return db.all(sql<MatchRow>`with matches as materialized (${matches}),
      page as (select id, dated_at, least(count(*) over (), ${sql.lit(MAX_MATCHES)}) as total from matches order by dated_at desc, id desc limit ${limit})
    select ${type}::text as type, t.id, t.amount_cents, tenant.full_name as tenant_name, ${columns(db.principal.timezone)}, page.total
    from page join ${sql.table(table)} t on t.organization_id = ${db.organizationId} and t.id = page.id
      left join tenant_copy tenant on tenant.organization_id = t.organization_id and tenant.id = t.tenant_id
    order by page.dated_at desc, page.id desc`);
}

/** Selects the ids of the search entries of an entity type that match all patterns. */
const findEntries = (patterns: readonly string[], entityType: string, limit: number): RawBuilder<unknown> =>
  sql`select find_search_entries(${[...patterns]}::text[], ${entityType}, ${sql.lit(limit)})`;
