/** List queries: filters, an allow-list of sorts, and pages with a total, in one round trip. */
import { defaultDirection } from "@freehold/contract/values";
import { ApiError, forbidden } from "../errors.ts";
import { startOfDay } from "../time/clock.ts";
import { addDays } from "../time/plain-date.ts";
import type { OrgDb } from "./org-db.ts";
import { nextIds } from "./exports/list-cursor.ts";
import { compile, send, sql, type RawBuilder } from "./statement.ts";

interface Totals {
  total: number;
}

export interface ListDefinition<T extends Totals = Totals> {
  /** Selected columns. */
  select: RawBuilder<unknown>;
  /** Listed table and joins; the listed table comes first. */
  from: RawBuilder<unknown>;
  /** Conditions of the list. The first one must restrict the rows to the organization. */
  where: readonly (RawBuilder<unknown> | undefined | false)[];
  /** SQL expression of each sort in the contract. */
  sorts: Record<string, RawBuilder<unknown>>;
  /** Sorts of nullable columns: nulls come last in both directions, which rules out an index. */
  nullable?: readonly string[];
  /** Name or alias of the listed table, for the tie-breaking id. */
  table: string;
  /** Name in `list_total` under which the database maintains the unfiltered row count. Rows are counted where it is absent. */
  totalName?: string;
  /** Query of the total and further sums over all rows. By default a plain count. */
  aggregates?: RawBuilder<T> | undefined;
}

export interface ListQuery {
  page: number;
  pageSize: number;
  sortBy: string;
  /** By default that of the contract for the field. */
  sortDirection?: "asc" | "desc" | undefined;
}

export interface Page<R, T extends Totals = Totals> {
  rows: R[];
  aggregates: T;
  paging: { page: number; pageSize: number; total: number; totalPages: number };
}

export const and = (conditions: ListDefinition["where"]): RawBuilder<unknown> =>
  sql.join(
    conditions.filter((condition) => condition !== undefined && condition !== false),
    sql` and `,
  );

/**
 * Returns a page of rows with the total over all pages. Ties are broken by id, so pages neither repeat nor skip a row. On a snapshot the
 * pages are read in their order.
 */
export async function listPage<R, T extends Totals = Totals>(db: OrgDb, query: ListQuery, list: ListDefinition<T>): Promise<Page<R, T>> {
  const { select, from, where, sorts, nullable, table } = list;
  const { page, pageSize } = query;
  const direction = sql.raw(query.sortDirection ?? defaultDirection(query.sortBy));
  const conditions = and(where);
  const id = sql.ref(`${table}.id`);
  const nulls = sql.raw(nullable?.includes(query.sortBy) ? " nulls last" : "");
  const order = sql`order by ${sorts[query.sortBy]} ${direction}${nulls}, ${id} ${direction}`;
  // The ids of the page are found first, by an index if one has the sort order; joins and columns are evaluated only for these rows.
  const ids = sql<{ id: string }>`select ${id} as id from ${from} where ${conditions} ${order}`;
  const limit = sql`limit ${sql.lit(pageSize)}`;
  const rowsOf = (idsOfPage: RawBuilder<unknown>) =>
    sql<R>`select ${select} from ${from} where ${and([where[0], sql`${id} = any(${idsOfPage})`])} ${order} ${limit}`;
  const hasMaintainedTotal = list.totalName !== undefined && isUnfiltered(query);
  const count = hasMaintainedTotal ? unfilteredTotal<T>(db, list.totalName!) : sql`select count(*) as total from ${from} where ${conditions}`;
  const totals = list.aggregates ?? (count as RawBuilder<T>);
  const [rows, aggregates] = await (db.database.snapshot
    ? readNext()
    : sendBoth(db, rowsOf(sql`array(${ids} ${limit} offset ${(page - 1) * pageSize})`), totals));
  async function readNext(): Promise<[R[], T]> {
    const [idsOfPage, found] = await nextIds(db, { name: table, page, pageSize, ids, totals });
    return [await db.all(rowsOf(sql`${idsOfPage}::uuid[]`)), found];
  }
  const { total } = aggregates;
  return { rows, aggregates, paging: { page, pageSize, total, totalPages: Math.max(1, Math.ceil(total / pageSize)) } };
}

const pagingParameters = new Set(["page", "pageSize", "sortBy", "sortDirection"]);

/** Tells whether a list query has no filter. */
export const isUnfiltered = (query: object): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || pagingParameters.has(name) || (name === "includeDeleted" && value === false));

/** Returns the query of a list's unfiltered row count, from the counters that triggers maintain. */
export const unfilteredTotal = <T extends Totals>(db: OrgDb, list: string): RawBuilder<T> =>
  sql<T>`select coalesce(sum(rows), 0)::bigint as total from list_total where organization_id = ${db.organizationId} and list = ${list}`;

const MAX_UNPAGED_ROWS = 10_000;
const DEFAULT_PAGE_SIZE = 20;

export interface OptionalPageQuery {
  page?: number | undefined;
  pageSize?: number | undefined;
  sortBy: string;
  sortDirection?: "asc" | "desc" | undefined;
}

/** Returns all rows unless the query asks for a page. Refuses a list above 10,000 rows with `page_required`. */
export async function listAllOrPage<R>(db: OrgDb, query: OptionalPageQuery, listing: ListDefinition): Promise<{ rows: R[]; paging?: Page<R>["paging"] }> {
  const { isPaged, ...page } = optionalPage(query);
  const { rows, paging } = await listPage<R>(db, { ...query, ...page }, listing);
  if (isPaged) return { rows, paging };
  requireUnpagedSize(paging.total);
  return { rows };
}

/** Returns the page of a query whose paging is optional: the whole list as one page unless the query asks for a page. */
export function optionalPage({ page, pageSize }: Partial<Pick<OptionalPageQuery, "page" | "pageSize">>): { page: number; pageSize: number; isPaged: boolean } {
  const isPaged = page !== undefined || pageSize !== undefined;
  return { page: page ?? 1, pageSize: pageSize ?? (isPaged ? DEFAULT_PAGE_SIZE : MAX_UNPAGED_ROWS), isPaged };
}

/** Throws a 400 `page_required` for an unpaged list above 10,000 rows. */
export function requireUnpagedSize(total: number): void {
  if (total > MAX_UNPAGED_ROWS) throw new ApiError(400, `There are ${total} rows. Ask for them in pages: send page and pageSize.`, { code: "page_required" });
}

/** Sends the queries of a page and of the totals on one connection, in one round trip. */
const sendBoth = <R, T>(db: OrgDb, rows: RawBuilder<R>, totals: RawBuilder<T>): Promise<[R[], T]> =>
  db.read(async () => {
    const client = await db.database.pool.connect();
    try {
      const [found, [aggregates]] = await Promise.all([send<R>(client, compile(rows), db), send<T>(client, compile(totals), db)]);
      return [found, aggregates!];
    } finally {
      client.release();
    }
  });

/** Returns the conditions that a time is on one of the days from `first` to `last` in a time zone. An absent day sets no limit. */
export const onDays = (time: RawBuilder<unknown>, first: string | undefined, last: string | undefined, timezone: string): ListDefinition["where"] => [
  first !== undefined && sql`${time} >= ${startOfDay(first, timezone)}`,
  last !== undefined && sql`${time} < ${startOfDay(addDays(last, 1), timezone)}`,
];

/** Returns the conditions that every list shares: the organization, incremental sync, and no deleted rows unless an admin or manager asks for them. */
export function listConditions(
  db: OrgDb,
  table: string,
  { updatedAfter, includeDeleted }: { updatedAfter?: string | undefined; includeDeleted?: boolean | undefined },
  softDeleted = true,
): ListDefinition["where"] {
  if (includeDeleted && db.principal.role !== "admin" && db.principal.role !== "manager")
    throw forbidden("Only admins or managers can list deleted rows.", "scope_forbidden");
  return [
    sql`${sql.ref(`${table}.organization_id`)} = ${db.organizationId}`,
    updatedAfter !== undefined && sql`${sql.ref(`${table}.updated_at`)} > ${updatedAfter}::timestamptz`,
    softDeleted && !includeDeleted && sql`${sql.ref(`${table}.deleted_at`)} is null`,
  ];
}
