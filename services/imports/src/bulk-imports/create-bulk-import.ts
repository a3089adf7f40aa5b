import { createReadStream } from "node:fs";
import { MAX_BULK_ROWS, type BulkEntityType, type BulkImport, type bulkImports } from "@freehold/contract/imports/bulk-imports";
import type { BodyOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { invalid } from "@freehold/kit/errors";
import { requireWithinQuota, type StorageQuota } from "@freehold/kit/files/storage-quota";
import { isNotCommitted } from "@freehold/kit/db/idempotency";
import type { Received, ReceivedFile } from "@freehold/kit/http/multipart";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { publishImportStatus } from "../events.ts";
import { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { emptyCounts } from "../import-bundles/import-bundle.rules.ts";
import { startedByCaller } from "../import-bundles/started-by.ts";
import { ImportFile } from "../import-files/import-file.entity.ts";
import { type FileInspection, inspectFile } from "../import-files/inspect-file.ts";
import { columnNameMatcher, mapColumns, type MappedColumns } from "../import-files/map-columns.ts";
import { lockImportBytes } from "../import-files/import-usage.queries.ts";
import { displayFileName, withFileName, type ImportFileStorage } from "../import-files/upload-files.ts";
import { bulkForm, missingColumns } from "../providers/bulk-forms.ts";
import { getBulkImport } from "./bulk-imports.queries.ts";

type Body = Received<BodyOf<(typeof bulkImports)["operations"]["createBulkImport"]>>;

/** Stores a file and queues its validation. Throws 400 for a file that cannot be read or lacks a required column. */
export async function createBulkImport(db: OrgDb, { store, findQuota }: ImportFileStorage, { file, ...settings }: Body): Promise<{ bulkImport: BulkImport }> {
  const inspected = await inspectBulkFile(file, settings.entityType);
  const quota = await findQuota(db);
  const fileId = newId();
  await store.put(db.organizationId, fileId, file.path);
  try {
    return await insertBulkImport(db, quota, settings, {
      id: fileId,
      fileName: displayFileName(file.name),
      sizeBytes: file.size,
      sha256: file.sha256,
      ...inspected,
    });
  } catch (error) {
    // After a server error the commit may have succeeded, so the file is left to the file sweep.
    if (isNotCommitted(error)) await store.remove(db.organizationId, fileId).catch(() => undefined);
    throw error;
  }
}

async function inspectBulkFile({ name, path }: ReceivedFile, entityType: BulkEntityType): Promise<FileInspection & MappedColumns> {
  const form = bulkForm(entityType);
  const options = { isColumnName: columnNameMatcher([form]), maxRows: MAX_BULK_ROWS };
  const { file, samples } = await withFileName(name, () => inspectFile(() => createReadStream(path), "generic", options));
  const mapped = mapColumns(form, file.header, samples);
  requireColumns(displayFileName(name), entityType, mapped);
  if (file.rowCount === 0) throw invalid([{ path: "file", code: "required", message: `${displayFileName(name)} has no row below the names of its columns.` }]);
  return { ...file, ...mapped };
}

function requireColumns(fileName: string, entityType: BulkEntityType, { mapping }: MappedColumns): void {
  const hint = `GET /api/bulk-imports/templates/${entityType}.csv has all columns.`;
  const errors = missingColumns(entityType, mapping).map((columns) => ({
    path: "file",
    code: "required" as const,
    message: `${fileName}: The column ${columns.join(" or ")} is missing. Add it, or rename the column that contains it. ${hint}`,
  }));
  if (errors.length > 0) throw invalid(errors);
}

type NewFile = FileInspection & MappedColumns & { id: string; fileName: string; sizeBytes: number; sha256: string };

const insertBulkImport = (db: OrgDb, quota: StorageQuota, settings: Omit<Body, "file">, file: NewFile): Promise<{ bulkImport: BulkImport }> =>
  transaction(db, async (tx) => {
    requireWithinQuota(quota, file.sizeBytes + (await lockImportBytes(tx)));
    const startedBy = startedByCaller(db);
    const id = newId();
    const bundle = tx.create(ImportBundle, {
      id,
      ...settings,
      name: file.fileName,
      provider: "generic",
      // A namespace of its own lets several bulk imports be queued at once. Identities are stored under BULK_NAMESPACE.
      sourceNamespace: `~${id}`,
      sourceAccountLabel: "",
      status: "inspecting",
      phase: "reading",
      processed: 0,
      total: 0,
      counts: emptyCounts(),
      run: 1,
      cursor: { step: "clear" },
      startedBy,
      createdByUserId: startedBy.userId,
      updatedAt: now(),
    });
    await tx.flush();
    tx.create(ImportFile, { ...file, bundleId: id, position: 1, form: null, mappingProfileId: null });
    await tx.flush();
    await scheduleNow(tx, "validateBundles");
    await publishImportStatus(tx, { id, bulk: { ...settings, startedBy } }, bundle.status);
    return { bulkImport: await getBulkImport(tx, id) };
  });
