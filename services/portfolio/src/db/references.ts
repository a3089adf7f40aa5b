/** Rows that a request body refers to: they must exist, and a share lock prevents their deletion until the commit. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { unknownReference, unknownReferences } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";

type Table = "property" | "unit" | "owner" | "tenant" | "lease" | "vendor" | "work_order" | "inspection" | "document";

const tablesWithoutSoftDelete: readonly Table[] = ["work_order", "inspection"];
const resourceName = (table: Table) => table.replace("_", " ");

/** Locks the rows of the organization with these ids that are not deleted and returns their ids. Waits for a deletion in progress. */
export async function lockLiveRows(tx: StatementRunner, table: Table, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.all(sql<{ id: string }>`select id from ${sql.table(table)}
    where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[])
      and ${tablesWithoutSoftDelete.includes(table) ? sql`true` : sql`deleted_at is null`} order by id for share`);
  return new Set(rows.map(({ id }) => id));
}

/** Locks the row that the request body refers to at `path`. Throws 400 when the organization has no such row. */
export async function lockReference(tx: StatementRunner, table: Table, id: string, path: string): Promise<void> {
  if ((await lockLiveRows(tx, table, [id])).size === 0) throw unknownReference(path, resourceName(table));
}

/** Locks the rows that the request body refers to. Throws 400 that names the path of each missing row. */
export async function lockReferences(tx: StatementRunner, table: Table, references: readonly { id: string; path: string }[]): Promise<void> {
  const liveIds = await lockLiveRows(
    tx,
    table,
    references.map(({ id }) => id),
  );
  const missing = references.filter(({ id }) => !liveIds.has(id.toLowerCase()));
  if (missing.length > 0)
    throw unknownReferences(
      missing.map(({ path }) => path),
      resourceName(table),
    );
}
