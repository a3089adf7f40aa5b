import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { isFileKept } from "./import-files.queries.ts";

/** Returns the bytes of the organization's import files, without those of completed and cancelled imports. */
export async function readImportBytes(db: StatementRunner): Promise<number> {
  const row = await db.first(sql<{ bytes: number }>`select coalesce(sum(f.size_bytes), 0)::bigint as bytes from import_file f
    join import_bundle b on b.organization_id = f.organization_id and b.id = f.bundle_id
    where f.organization_id = ${db.organizationId} and ${isFileKept}`);
  return row!.bytes;
}

/**
 * Returns the bytes of the organization's import files and lets no other transaction add files before the commit, so that
 * concurrent uploads cannot exceed the quota together. Transactions lock their bundle first.
 */
export async function lockImportBytes(tx: OrgTx): Promise<number> {
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`import_file ${tx.organizationId}`}, 0))`);
  return readImportBytes(tx);
}
