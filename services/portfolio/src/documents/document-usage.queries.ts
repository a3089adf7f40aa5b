import type { OrgTx } from "@freehold/kit/db/org-tx";
import { ApiError } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";

/** Counts bytes that come or go. What would be more than the organization may keep is refused, also of several uploads at once. */
export async function adjustStorageUsage(tx: OrgTx, bytes: number, quotaBytes = Number.MAX_SAFE_INTEGER): Promise<void> {
  const [counted] = await tx.all(sql<{
    sizeBytes: number;
  }>`insert into document_usage as kept (organization_id, size_bytes) values (${tx.organizationId}, greatest(${bytes}::bigint, 0))
    on conflict (organization_id) do update set size_bytes = kept.size_bytes + ${bytes} returning size_bytes`);
  if (counted!.sizeBytes <= quotaBytes) return;
  const most = `${Math.floor(quotaBytes / 1_048_576)} MiB`;
  throw new ApiError(400, `The organization's documents would be more than the ${most} that it may keep. Delete what is not needed.`, {
    code: "file_too_large",
  });
}
