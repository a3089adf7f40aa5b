/** Payments and charges by what people remember of them: the amount, the check, the name, who paid. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { TransactionMatch, TransactionMatches, SearchTransactionsRequest } from "@freehold/proto/ledger/v1/ledger";

/** So many of each kind are looked at, the newest: more nobody reads. */
const AT_MOST = 1_000;
/** So many tenants with the name: whose name is so common adds another word. */
const PAYERS = 50;

interface Kind {
  table: "payment" | "charge";
  /** When it was. */
  at: RawBuilder<unknown>;
  columns: (timezone: string) => RawBuilder<unknown>;
}

const kinds: Record<string, Kind> = {
  payment: {
    table: "payment",
    at: sql`received_at`,
    columns: (timezone) => sql`null as name, m.check_number, null as memo, (m.received_at at time zone ${timezone}::text)::date as day`,
  },
  charge: { table: "charge", at: sql`due_date`, columns: () => sql`m.name, null as check_number, m.memo, m.due_date as day` },
};

type Row = Omit<TransactionMatch, "name" | "checkNumber" | "memo" | "tenantName"> & {
  name: string | null;
  checkNumber: string | null;
  memo: string | null;
  tenantName: string | null;
  total: number;
};

/** What has all the words and the amount, the newest of each kind first, and how many there are of each. */
export async function searchTransactions(db: OrgDb, { types, limit, ...asked }: SearchTransactionsRequest): Promise<TransactionMatches> {
  const rows = await Promise.all(types.map((type) => find(db, type, asked, limit)));
  return { matches: rows.flat().map(shown), counts: Object.fromEntries(types.map((type, index) => [type, rows[index]![0]?.total ?? 0])) };
}

const shown = ({ type, id, amountCents, day, ...texts }: Row): TransactionMatch => ({
  type,
  id,
  amountCents,
  day,
  name: texts.name ?? undefined,
  checkNumber: texts.checkNumber ?? undefined,
  memo: texts.memo ?? undefined,
  tenantName: texts.tenantName ?? undefined,
});

type Asked = Pick<SearchTransactionsRequest, "patterns" | "amountCents">;

function find(db: OrgDb, type: string, asked: Asked, limit: number): Promise<Row[]> {
  const { table, at, columns } = kinds[type]!;
  const newest = (
    condition: RawBuilder<unknown>,
  ) => sql`(select id, ${at} as at from ${sql.table(table)} where organization_id = ${db.organizationId} and ${condition}
    and ${asked.amountCents === undefined ? sql`true` : sql`amount_cents = ${asked.amountCents}`} order by ${at} desc, id desc limit ${sql.lit(AT_MOST)})`;
  const found =
    asked.patterns.length === 0
      ? newest(sql`true`)
      : sql`${newest(sql`id = any(array(${entries(asked.patterns, type, AT_MOST)}))`)} union ${newest(sql`tenant_id = any(array(${entries(asked.patterns, "tenant", PAYERS)}))`)}`;
  return db.all(sql<Row>`with found as materialized (${found}),
      best as (select id, at, least(count(*) over (), ${sql.lit(AT_MOST)}) as total from found order by at desc, id desc limit ${limit})
    select ${type}::text as type, m.id, m.amount_cents, t.full_name as tenant_name, ${columns(db.principal.timezone)}, best.total
    from best join ${sql.table(table)} m on m.organization_id = ${db.organizationId} and m.id = best.id
      left join tenant_copy t on t.organization_id = m.organization_id and t.id = m.tenant_id
    order by best.at desc, best.id desc`);
}

/** The ids of what has all the patterns in its words. */
const entries = (patterns: readonly string[], kind: string, atMost: number): RawBuilder<unknown> =>
  sql`select find_search_entries(${[...patterns]}::text[], ${kind}, ${sql.lit(atMost)})`;
