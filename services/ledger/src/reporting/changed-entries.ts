/** Incremental synchronization of lists of journal entries. */
import { and, listConditions } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

interface SyncQuery {
  updatedAfter?: string | undefined;
  includeDeleted?: boolean | undefined;
}

/** Returns the condition that the entry of a row was posted or reversed after a time, if the query names one. Throws a 403 like every list for a role that cannot list deleted rows. */
export function isChangedEntry(db: OrgDb, entryId: RawBuilder<unknown>, query: SyncQuery): RawBuilder<unknown> {
  const conditions = listConditions(db, "changed", query, false);
  if (query.updatedAfter === undefined) return sql`true`;
  return sql`exists (select from journal_entry changed where ${and(conditions)} and changed.id = ${entryId})`;
}
