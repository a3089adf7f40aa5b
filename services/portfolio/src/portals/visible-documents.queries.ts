import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { visibilityCondition } from "../documents/visibility.queries.ts";

/** Returns which of the ids are documents that the caller has access to. */
export async function findVisibleDocumentIds(db: StatementRunner, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select d.id from document d
    where d.organization_id = ${db.organizationId} and d.id = any(${[...ids]}::uuid[]) and d.deleted_at is null and ${visibilityCondition(db, "d")}`);
  return rows.map(({ id }) => id);
}
