import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";

/** Returns the bytes of the organization's documents. */
export async function readDocumentBytes(db: StatementRunner): Promise<number> {
  const usage = await db.first(sql<{ sizeBytes: number }>`select size_bytes from document_usage where organization_id = ${db.organizationId}`);
  return usage?.sizeBytes ?? 0;
}

/**
 * Adds bytes, negative after a deletion, to those of the organization's documents and returns the sum. Locks the row until the
 * commit, so that concurrent uploads cannot exceed the quota together.
 */
export async function adjustDocumentBytes(tx: OrgTx, bytes: number): Promise<number> {
  const [usage] = await tx.all(sql<{
    sizeBytes: number;
  }>`insert into document_usage as usage (organization_id, size_bytes) values (${tx.organizationId}, greatest(${bytes}::bigint, 0))
    on conflict (organization_id) do update set size_bytes = usage.size_bytes + ${bytes} returning size_bytes`);
  return usage!.sizeBytes;
}
