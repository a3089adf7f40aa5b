/** Rows that a new row depends on: read and kept from being deleted until the commit. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";

type Table = "property" | "unit" | "owner" | "tenant" | "lease" | "vendor" | "work_order" | "inspection" | "document";

/** Rows that are never deleted. */
const lasting: readonly Table[] = ["work_order", "inspection"];
const nameOf = (table: Table) => table.replace("_", " ");

/** The ids among these that are live rows of the organization. A deletion that is under way is waited for. */
export async function holdLive(tx: StatementRunner, table: Table, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.all(sql<{ id: string }>`select id from ${sql.table(table)}
    where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[]) and ${lasting.includes(table) ? sql`true` : sql`deleted_at is null`} order by id for share`);
  return new Set(rows.map(({ id }) => id));
}

/** Holds one row that a body names, or refuses the body. */
export async function holdReference(tx: StatementRunner, table: Table, id: string, path: string): Promise<void> {
  if ((await holdLive(tx, table, [id])).size === 0) throw unknownReference(path, nameOf(table));
}

/** Holds several rows that a body names, or names each one that is not there. */
export async function holdReferences(tx: StatementRunner, table: Table, named: readonly { id: string; path: string }[]): Promise<void> {
  const live = await holdLive(
    tx,
    table,
    named.map(({ id }) => id),
  );
  const missing = named.filter(({ id }) => !live.has(id.toLowerCase()));
  if (missing.length > 0)
    throw invalid(missing.map(({ path }) => ({ path, code: "not_found", message: `There is no ${nameOf(table)} with this id. Check ${path}.` })));
}
