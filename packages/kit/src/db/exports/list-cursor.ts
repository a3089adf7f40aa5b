/** Rows of a list on a snapshot: a cursor returns the pages one after the other, so that a long list is sorted once and not for each page. */
import type { OrgDb } from "../org-db.ts";
import { compile, send, sql, type RawBuilder } from "../statement.ts";

/** Page of a list. The name of the list is that of its cursor. */
interface CursorPage {
  name: string;
  page: number;
  pageSize: number;
}

/**
 * Returns the rows of the next page, and the totals that were read with the first one, which opens the cursor. Throws when another page
 * than the next one is asked for, or when two lists on a snapshot have one name.
 */
export async function nextRows<R, T>(db: OrgDb, { name, page, pageSize }: CursorPage, rows: RawBuilder<unknown>, totals: RawBuilder<T>): Promise<[R[], T]> {
  const { connection, lists } = db.database.snapshot!;
  const cursor = sql.id(`list_${name}`);
  const list = lists.get(name) ?? { nextPage: 1, totals: undefined };
  if (page !== list.nextPage) throw new Error(`Page ${page} of the list ${name} was asked for, but page ${list.nextPage} is the next one.`);
  if (page === 1) {
    await db.all(sql`declare ${cursor} no scroll cursor for ${rows}`);
    [list.totals] = await db.all(totals);
  }
  lists.set(name, { ...list, nextPage: page + 1 });
  const fetchPage = { ...compile(sql`fetch forward ${sql.lit(pageSize)} from ${cursor}`), isUnprepared: true };
  return [await db.read(() => send<R>(connection, fetchPage, db)), list.totals as T];
}
