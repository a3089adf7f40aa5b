import type { OrgDb } from "../org-db.ts";

/** Tells whether the reads of `db` are those of an export. */
export const isExport = (db: OrgDb): boolean => db.database.snapshot !== undefined;

/**
 * Fetches what all pages of a list need from another service. Pages of an export share what the first one has fetched, so that they show
 * one state of it.
 */
export function onceOnExport<T>(db: OrgDb, name: string, fetch: () => Promise<T>): Promise<T> {
  const fetched = db.database.snapshot?.fetched;
  const earlier = fetched?.get(name) as Promise<T> | undefined;
  if (earlier) return earlier;
  const result = fetch();
  fetched?.set(name, result);
  return result;
}
