import type { ImportBundleStatus } from "@freehold/contract/import-bundles";
import { managers } from "@freehold/contract/roles";
import type { OrgTx } from "@freehold/kit/db";
import { announcer } from "@freehold/kit/outbox";

/** Announces what imports did, in the transaction that did it. */
export const announce = announcer("imports");

/** Those who may read bundles. */
export const audience = { roles: [...managers] };

/** Says that a bundle is now in this status. */
export const announceStatus = (tx: OrgTx, bundleId: string, status: ImportBundleStatus): Promise<void> =>
  announce(tx, "import_bundle.status_changed", { entityId: bundleId, data: { status }, audience });

/** Says that something of a bundle changed besides its status. */
export const announceUpdate = (tx: OrgTx, bundleId: string, status: ImportBundleStatus): Promise<void> =>
  announce(tx, "import_bundle.updated", { entityId: bundleId, data: { status }, audience });
