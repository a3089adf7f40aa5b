import { createReadStream } from "node:fs";
import { BULK_ROWS_AT_MOST, type BulkEntityType, type BulkImport, type bulkImports } from "@freehold/contract/bulk-imports";
import type { BodyOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { ApiError, invalid } from "@freehold/kit/errors";
import type { FileStore } from "@freehold/kit/files/file-store";
import { IdempotentReplay } from "@freehold/kit/db/idempotency";
import type { Received, ReceivedFile } from "@freehold/kit/http/multipart";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { announceMove } from "../events.ts";
import { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { noCounts } from "../import-bundles/import-bundle.rules.ts";
import { ImportFile } from "../import-files/import-file.entity.ts";
import { inspectFile, type Inspected } from "../import-files/inspect-file.ts";
import { mapColumns, namesIn, type Mapped } from "../import-files/map-columns.ts";
import { shown, told } from "../import-files/upload-files.ts";
import { bulkForm, missingColumns } from "../providers/bulk-forms.ts";
import { asker } from "./bulk-imports.ts";
import { findBulkImport } from "./bulk-imports.queries.ts";

type Body = Received<BodyOf<(typeof bulkImports)["operations"]["createBulkImport"]>>;

/** Takes a file and has its rows judged by whichever replica comes first. What cannot be read, or lacks a column, is refused at once. */
export async function createBulkImport(db: OrgDb, store: FileStore, { file, ...terms }: Body): Promise<{ bulkImport: BulkImport }> {
  const read = await readFile(file, terms.entityType);
  const fileId = newId();
  await store.put(db.organizationId, fileId, file.path);
  try {
    return await add(db, terms, { id: fileId, fileName: shown(file.name), sizeBytes: file.size, sha256: file.sha256, ...read });
  } catch (error) {
    // Whoever is cut off from the database does not know what became of the commit: then the file stays until it is swept.
    if (error instanceof IdempotentReplay || (error instanceof ApiError && error.status < 500))
      await store.remove(db.organizationId, fileId).catch(() => undefined);
    throw error;
  }
}

async function readFile({ name, path }: ReceivedFile, entityType: BulkEntityType): Promise<Inspected & Mapped> {
  const form = bulkForm(entityType);
  const expected = { isKnown: namesIn([form]), rowsAtMost: BULK_ROWS_AT_MOST };
  const { file, samples } = await told(name, () => inspectFile(() => createReadStream(path), "generic", expected));
  const mapped = mapColumns(form, file.header, samples);
  refuseMissing(shown(name), entityType, mapped);
  if (file.rowCount === 0) throw invalid([{ path: "file", code: "required", message: `${shown(name)} has no row below the names of its columns.` }]);
  return { ...file, ...mapped };
}

function refuseMissing(name: string, entityType: BulkEntityType, { mapping }: Mapped): void {
  const template = `GET /api/bulk-imports/templates/${entityType}.csv has all columns.`;
  const errors = missingColumns(entityType, mapping).map((columns) => ({
    path: "file",
    code: "required",
    message: `${name}: no column gives ${columns.join(" or ")}. Add it, or name the column so. ${template}`,
  }));
  if (errors.length > 0) throw invalid(errors);
}

type NewFile = Inspected & Mapped & { id: string; fileName: string; sizeBytes: number; sha256: string };

const add = (db: OrgDb, terms: Omit<Body, "file">, file: NewFile): Promise<{ bulkImport: BulkImport }> =>
  transaction(db, async (tx) => {
    const by = asker(db);
    const id = newId();
    const bundle = tx.create(ImportBundle, {
      id,
      ...terms,
      name: file.fileName,
      provider: "generic",
      // Of its own, so that several can wait to be written; its ids are remembered with those of all bulk imports.
      sourceNamespace: `~${id}`,
      sourceAccountLabel: "",
      status: "inspecting",
      phase: "reading",
      processed: 0,
      total: 0,
      counts: noCounts(),
      run: 1,
      cursor: { step: "clear" },
      startedBy: by,
      createdByUserId: by.userId,
      updatedAt: now(),
    });
    await tx.flush();
    tx.create(ImportFile, { ...file, bundleId: id, position: 1, form: null, mappingProfileId: null });
    await tx.flush();
    await scheduleNow(tx, "validateBundles");
    await announceMove(tx, { id, bulk: { ...terms, by } }, bundle.status);
    return { bulkImport: await findBulkImport(tx, id) };
  });
