import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Tables of the records to which documents can be attached, by their type. */
const tables = ["expense", "owner_statement", "reconciliation"] as const;

/** Returns which of the ids are records of a type. */
export async function findRecordIds(db: StatementRunner, type: string, ids: readonly string[]): Promise<string[]> {
  const table = tables.find((name) => name === type);
  if (!table) throw new Error(`The ledger has no records of the type ${type}.`);
  const rows = await db.all(
    sql<{ id: string }>`select id from ${sql.table(table)} where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`,
  );
  return rows.map(({ id }) => id);
}
