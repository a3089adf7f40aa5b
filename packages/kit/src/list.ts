/** One grammar for every list: filters, closed sorts, pages with a total, all in one round trip. */
import type { OrgDb } from "./db.ts";
import { ApiError, forbidden } from "./errors.ts";
import { compile, send, sql, type RawBuilder } from "./statement.ts";

interface Counted {
  total: number;
}

export interface Listing<C extends Counted = Counted> {
  /** The columns and what they come from, joins included; the listed table comes first. */
  select: RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  /** Conditions that hold for every row; the organization's comes first. */
  where: readonly (RawBuilder<unknown> | undefined | false)[];
  /** The expression behind each sort the contract knows. */
  sorts: Record<string, RawBuilder<unknown>>;
  /** The sorts whose column may be empty: empty ones come last either way, which no index gives. */
  nullable?: readonly string[];
  /** The listed table's name or alias, for the tie-breaking id. */
  table: string;
  /** The name under which the database keeps how many rows there are without a filter; without one they are counted. */
  kept?: string;
  /** How many rows there are in all, with what else is summed up over them; by itself a plain count. */
  counted?: RawBuilder<C> | undefined;
}

export interface ListQuery {
  page: number;
  pageSize: number;
  sortBy: string;
  sortDirection: "asc" | "desc";
}

export interface Page<R, C extends Counted = Counted> {
  rows: R[];
  counted: C;
  paging: { page: number; pageSize: number; total: number; totalPages: number };
}

export const and = (conditions: Listing["where"]): RawBuilder<unknown> =>
  sql.join(
    conditions.filter((condition) => condition !== undefined && condition !== false),
    sql` and `,
  );

/** A page of rows and how many there are in all. Ties are broken by id, so pages neither repeat nor lose a row. */
export async function listPage<R, C extends Counted = Counted>(db: OrgDb, query: ListQuery, listing: Listing<C>): Promise<Page<R, C>> {
  const { select, from, where, sorts, nullable, table } = listing;
  const direction = sql.raw(query.sortDirection);
  const conditions = and(where);
  const id = sql.ref(`${table}.id`);
  const last = sql.raw(nullable?.includes(query.sortBy) ? " nulls last" : "");
  const order = sql`order by ${sorts[query.sortBy]} ${direction}${last}, ${id} ${direction} limit ${sql.lit(query.pageSize)}`;
  // Which rows are on the page is found first, by id and in the order of an index where one has it: what is shown of a row is
  // looked up for these alone.
  const there = sql`${id} = any(array(select ${id} from ${from} where ${conditions} ${order} offset ${(query.page - 1) * query.pageSize}))`;
  const rows = sql<R>`select ${select} from ${from} where ${and([where[0], there])} ${order}`;
  const isKept = listing.kept !== undefined && isWhole(query);
  const count = listing.counted ?? (isKept ? wholeTotal<C>(db, listing.kept!) : sql`select count(*) as total from ${from} where ${conditions}`);
  const [found, [counted]] = await together<R, C>(db, rows, count);
  const { total } = counted!;
  const paging = { page: query.page, pageSize: query.pageSize, total, totalPages: Math.max(1, Math.ceil(total / query.pageSize)) };
  return { rows: found, counted: counted!, paging };
}

const aboutPages = new Set(["page", "pageSize", "sortBy", "sortDirection"]);

/** Whether a list is asked for as it stands, without a filter. */
export const isWhole = (query: object): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || aboutPages.has(name) || (name === "includeDeleted" && value === false));

/** How many rows a whole list has, from the few rows in which the database keeps that. */
export const wholeTotal = <C extends Counted>(db: OrgDb, list: string): RawBuilder<C> =>
  sql<C>`select coalesce(sum(rows), 0)::bigint as total from list_total where organization_id = ${db.organizationId} and list = ${list}`;

const WHOLE_AT_MOST = 10_000;
const PAGE_SIZE = 20;

export interface WholeQuery {
  page?: number | undefined;
  pageSize?: number | undefined;
  sortBy: string;
  sortDirection: "asc" | "desc";
}

/** A list that is answered whole unless a page is asked for. What is too long for that is refused with `page_required`. */
export async function listWholeOrPage<R>(db: OrgDb, query: WholeQuery, listing: Listing): Promise<{ rows: R[]; paging?: Page<R>["paging"] }> {
  const isPaged = query.page !== undefined || query.pageSize !== undefined;
  const found = await listPage<R>(db, { ...query, page: query.page ?? 1, pageSize: query.pageSize ?? (isPaged ? PAGE_SIZE : WHOLE_AT_MOST) }, listing);
  const { rows, paging } = found;
  if (isPaged) return { rows, paging };
  if (paging.total > WHOLE_AT_MOST)
    throw new ApiError(400, `There are ${paging.total} rows. Ask for them in pages: send page and pageSize.`, { code: "page_required" });
  return { rows };
}

/** Two statements on one connection, in one round trip. */
async function together<A, B>(db: OrgDb, a: RawBuilder<unknown>, b: RawBuilder<unknown>): Promise<[A[], B[]]> {
  const client = await db.database.pool.connect();
  try {
    return await Promise.all([send<A>(client, compile(a), db.organizationId), send<B>(client, compile(b), db.organizationId)]);
  } finally {
    client.release();
  }
}

/** The conditions every list shares: incremental sync, and deleted rows only for those who may see them. */
export function everyList(
  db: OrgDb,
  table: string,
  { updatedAfter, includeDeleted }: { updatedAfter?: string | undefined; includeDeleted?: boolean | undefined },
  softDeleted = true,
): Listing["where"] {
  if (includeDeleted && db.scope.role !== "admin" && db.scope.role !== "manager")
    throw forbidden("Only admins or managers can list deleted rows.", "scope_forbidden");
  return [
    sql`${sql.ref(`${table}.organization_id`)} = ${db.organizationId}`,
    updatedAfter !== undefined && sql`${sql.ref(`${table}.updated_at`)} > ${updatedAfter}::timestamptz`,
    softDeleted && !includeDeleted && sql`${sql.ref(`${table}.deleted_at`)} is null`,
  ];
}
