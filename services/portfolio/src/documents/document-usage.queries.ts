import type { OrgTx } from "@freehold/kit/db/org-tx";
import { ApiError } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";

/**
 * Adds bytes, negative after a deletion, to the organization's storage usage. Throws 400 above the quota. Locks the usage row
 * until the commit, so concurrent uploads cannot exceed the quota together.
 */
export async function adjustStorageUsage(tx: OrgTx, bytes: number, quotaBytes = Number.MAX_SAFE_INTEGER): Promise<void> {
  const [usage] = await tx.all(sql<{
    sizeBytes: number;
  }>`insert into document_usage as usage (organization_id, size_bytes) values (${tx.organizationId}, greatest(${bytes}::bigint, 0))
    on conflict (organization_id) do update set size_bytes = usage.size_bytes + ${bytes} returning size_bytes`);
  if (usage!.sizeBytes <= quotaBytes) return;
  const quota = `${Math.floor(quotaBytes / 1_048_576)} MiB`;
  throw new ApiError(400, `The organization's documents would exceed the quota of ${quota}. Delete documents that are not needed.`, {
    code: "file_too_large",
  });
}
