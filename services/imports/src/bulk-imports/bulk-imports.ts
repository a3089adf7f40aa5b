import type { BulkImport } from "@freehold/contract/imports/bulk-imports";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { FileStore } from "@freehold/kit/files/file-store";
import { publishImportStatus } from "../events.ts";
import { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { hasWritingBegun } from "../import-bundles/import-bundle.rules.ts";
import { startedByCaller } from "../import-bundles/started-by.ts";
import { ImportFile } from "../import-files/import-file.entity.ts";
import { bulkImportStates, toBulkStatus } from "./bulk-import.rules.ts";
import { getBulkImport } from "./bulk-imports.queries.ts";
import { queueBulkImport } from "./queue-bulk-import.ts";

const lockBulkImport = (tx: OrgTx, id: string): Promise<ImportBundle> => tx.getForUpdate(ImportBundle, id, "Bulk import", { mode: { $ne: null } });

/** Queues a ready bulk import to be written on behalf of the caller. */
export const startBulkImport = (db: OrgDb, id: string): Promise<{ bulkImport: BulkImport }> =>
  transaction(db, async (tx) => {
    const { status, entityType, mode, dryRun } = await lockBulkImport(tx, id);
    bulkImportStates.transition(toBulkStatus(status), "processing");
    await queueBulkImport(tx, id, { entityType: entityType!, mode: mode!, dryRun: dryRun!, startedBy: startedByCaller(db) });
    return { bulkImport: await getBulkImport(tx, id) };
  });

/** Cancels a bulk import and deletes its file. An import whose writing has begun is returned unchanged. */
export async function cancelBulkImport(db: OrgDb, store: FileStore, id: string): Promise<{ bulkImport: BulkImport }> {
  const { bulkImport, fileId } = await transaction(db, async (tx) => {
    const bundle = await lockBulkImport(tx, id);
    const file = await tx.findOne(ImportFile, { bundleId: id });
    if (!hasWritingBegun(bundle.status)) {
      bulkImportStates.transition(toBulkStatus(bundle.status), "cancelled");
      tx.assign(bundle, { status: "cancelled", cursor: null, phase: null, updatedAt: now() });
      await tx.flush();
      const bulk = { entityType: bundle.entityType!, mode: bundle.mode!, dryRun: bundle.dryRun!, startedBy: startedByCaller(db) };
      await publishImportStatus(tx, { id, bulk }, "cancelled");
    }
    return { bulkImport: await getBulkImport(tx, id), fileId: file!.id };
  });
  // The file sweep removes the file if this fails.
  if (bulkImport.status === "cancelled") await store.remove(db.organizationId, fileId).catch(() => undefined);
  return { bulkImport };
}
