import type { ImportBundleStatus } from "@freehold/contract/import-bundles";
import { adminsAndManagers } from "@freehold/contract/roles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { bulkStatusOf, type Bulk } from "./bulk-imports/bulk-import.rules.ts";

/** Announces what imports did, in the transaction that did it. */
export const announce = eventPublisher("imports");

/** Those who may read bundles. */
export const audience = { roles: [...adminsAndManagers] };

/** Says that a bundle is now in this status. */
export const announceStatus = (tx: OrgTx, bundleId: string, status: ImportBundleStatus): Promise<void> =>
  announce(tx, "import_bundle.status_changed", { entityId: bundleId, data: { status }, audience });

/** Says that something of a bundle changed besides its status. */
export const announceUpdate = (tx: OrgTx, bundleId: string, status: ImportBundleStatus): Promise<void> =>
  announce(tx, "import_bundle.updated", { entityId: bundleId, data: { status }, audience });

/** What a bulk import is told to be once, while the bundle that it is goes through several. */
const steps = new Set<ImportBundleStatus>(["mapping", "validating", "processing"]);

/** Says that a bundle that is being worked on, or the bulk import that it is, is now in this status. */
export async function announceMove(tx: OrgTx, { id, bulk }: { id: string; bulk: Bulk | null }, status: ImportBundleStatus): Promise<void> {
  if (!bulk) await announceStatus(tx, id, status);
  else if (!steps.has(status)) await announce(tx, "bulk_import.status_changed", { entityId: id, data: { status: bulkStatusOf(status) }, audience });
}

export interface Progress {
  phase: string;
  processed: number;
  total: number;
}

/** Says how far the work on one has come. */
export const announceProgress = (tx: OrgTx, { id, bulk }: { id: string; bulk: Bulk | null }, data: Progress): Promise<void> =>
  announce(tx, bulk ? "bulk_import.progress" : "import_bundle.progress", { entityId: id, data, audience });
