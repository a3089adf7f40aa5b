/** Pages of a list on a snapshot, one after the other: a cursor has the order of all rows, so that a long list is sorted once and not for each page. */
import type { OrgDb } from "../org-db.ts";
import { compile, send, sql, type RawBuilder } from "../statement.ts";

interface CursorPage<T> {
  /** Name of the list and of its cursor. */
  name: string;
  page: number;
  pageSize: number;
  /** Query of the ids of all rows, in order. */
  ids: RawBuilder<{ id: string }>;
  /** Query of the totals, which are read with the first page. */
  totals: RawBuilder<T>;
}

/** Returns the ids of the next page, and the totals. Throws when another page than the next one is asked for, as by a second list with the same name. */
export async function nextIds<T>(db: OrgDb, { name, page, pageSize, ids, totals }: CursorPage<T>): Promise<[string[], T]> {
  const { connection, lists } = db.database.snapshot!;
  const cursor = sql.id(`list_${name}`);
  const list = lists.get(name) ?? { nextPage: 1, totals: undefined };
  if (page !== list.nextPage) throw new Error(`Page ${page} of the list ${name} was asked for, but page ${list.nextPage} is the next one.`);
  if (page === 1) {
    await db.all(sql`declare ${cursor} no scroll cursor for ${ids}`);
    [list.totals] = await db.all(totals);
  }
  lists.set(name, { ...list, nextPage: page + 1 });
  const fetchPage = { ...compile(sql`fetch forward ${sql.lit(pageSize)} from ${cursor}`), isUnprepared: true };
  const rows = await db.read(() => send<{ id: string }>(connection, fetchPage, db));
  return [rows.map(({ id }) => id), list.totals as T];
}
