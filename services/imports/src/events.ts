import type { ImportBundleStatus } from "@freehold/contract/imports/import-bundles";
import { adminsAndManagers } from "@freehold/contract/roles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { type BulkSettings, toBulkStatus } from "./bulk-imports/bulk-import.rules.ts";

/** Publishes an event of the imports service; the event commits with the transaction. */
export const publish = eventPublisher("imports");

/** Roles that may read bundles and bulk imports. */
export const managersAudience = { roles: [...adminsAndManagers] };

/** Publishes the new status of a bundle. */
export const publishBundleStatus = (tx: OrgTx, bundleId: string, status: ImportBundleStatus): Promise<void> =>
  publish(tx, "import_bundle.status_changed", { entityId: bundleId, data: { status }, audience: managersAudience });

/** Publishes a change of a bundle other than a change of status. */
export const publishBundleUpdate = (tx: OrgTx, bundleId: string, status: ImportBundleStatus): Promise<void> =>
  publish(tx, "import_bundle.updated", { entityId: bundleId, data: { status }, audience: managersAudience });

/** Bundle statuses that leave the status of a bulk import unchanged. */
const bundleOnlyStatuses = new Set<ImportBundleStatus>(["mapping", "validating", "processing"]);

/** Publishes the new status of a bundle or of the bulk import that the bundle represents. */
export async function publishImportStatus(tx: OrgTx, { id, bulk }: { id: string; bulk: BulkSettings | null }, status: ImportBundleStatus): Promise<void> {
  if (!bulk) await publishBundleStatus(tx, id, status);
  else if (!bundleOnlyStatuses.has(status))
    await publish(tx, "bulk_import.status_changed", { entityId: id, data: { status: toBulkStatus(status) }, audience: managersAudience });
}

export interface Progress {
  phase: string;
  processed: number;
  total: number;
  rowsPerSecond: number | null;
  estimatedEndAt: string | null;
}

/** Publishes the progress of a bundle or bulk import. */
export const publishImportProgress = (tx: OrgTx, { id, bulk }: { id: string; bulk: BulkSettings | null }, data: Progress): Promise<void> =>
  publish(tx, bulk ? "bulk_import.progress" : "import_bundle.progress", { entityId: id, data, audience: managersAudience });
