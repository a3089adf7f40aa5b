/** Records whose texts contain a search text, for the `search` of lists. */
import { containsPattern, MIN_INDEXED_LENGTH } from "@freehold/kit/like-pattern";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Tables whose records have search entries with the texts that lists search. */
type SearchedTable = "property" | "unit" | "tenant" | "owner" | "vendor" | "document" | "work_order";

/**
 * Returns a subquery of the ids of a table's records, also deleted ones, in which one of the columns contains the text, in upper or lower
 * case. The trigram index of the search entries finds the candidates. It has no deleted records, and none for portal users, whose few
 * records are all compared.
 */
export function foundIds(db: StatementRunner, table: SearchedTable, search: string, columns: readonly string[]): RawBuilder<unknown> {
  const contains = sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${containsPattern(search)}`),
    sql` or `,
  );
  const records = sql`select id from ${sql.table(table)} where organization_id = ${db.organizationId} and (${contains})`;
  if (search.length < MIN_INDEXED_LENGTH || db.principal.subjectId !== null) return sql`(${records})`;
  const indexed = sql`${records} and id in (select find_search_candidates(${search}, ${table}))`;
  // Work orders are cancelled, never deleted.
  return table === "work_order" ? sql`(${indexed})` : sql`(${indexed} union all ${records} and deleted_at is not null)`;
}
