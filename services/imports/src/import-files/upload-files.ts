import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { IMPORT_FILE_MAX_BYTES, IMPORT_FILES_AT_MOST, type BundleFile, type ImportProvider } from "@freehold/contract/imports/import-bundles";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { conflict, isRefusal } from "@freehold/kit/errors";
import type { FileStore } from "@freehold/kit/files/file-store";
import { requireWithinQuota, type QuotaFinder, type StorageQuota } from "@freehold/kit/files/storage-quota";
import type { ReceivedFile } from "@freehold/kit/http/multipart";
import { publishBundleUpdate } from "../events.ts";
import { lockBundleForFileChange } from "../import-bundles/lock-bundle.ts";
import { requireEditableFiles } from "../import-bundles/import-bundle.rules.ts";
import { getImportBundle } from "../import-bundles/import-bundles.queries.ts";
import { UnreadableFileError, unsupportedFile } from "../reading/unreadable-file.ts";
import { type UnpackedFile, unzip } from "../reading/unzip.ts";
import { isZip } from "../reading/zip.ts";
import { ImportFile } from "./import-file.entity.ts";
import { listFiles } from "./import-files.queries.ts";
import { lockImportBytes } from "./import-usage.queries.ts";
import { type FileInspection, inspectFile } from "./inspect-file.ts";
import { detectForm, type MappedColumns } from "./map-columns.ts";
import { listProfiles, proposeProfile, type SavedProfile } from "./propose-profile.ts";

export interface ImportFileStorage {
  store: FileStore;
  /** Directory of files that are not stored yet. */
  uploadDir: string;
  findQuota: QuotaFinder;
}

interface InspectedFile extends UnpackedFile, FileInspection, MappedColumns {
  id: string;
  form: string | null;
  /** Profile that was proposed for the file, if any. */
  mappingProfileId: string | null;
}

const MAX_NAME_LENGTH = 200;
/** Returns the name of an uploaded file for display. Files are never opened by this name. */
export const displayFileName = (name: string): string => name.replaceAll(/\p{C}/gu, "").slice(-MAX_NAME_LENGTH) || "file.csv";

const tooManyFiles = () => conflict(`A bundle has at most ${IMPORT_FILES_AT_MOST} files. Remove some, or create another bundle.`, "bundle_not_ready");

/** Stores the files of a request, with ZIP archives and workbooks unpacked. Stores either all files or none. */
export async function uploadImportFiles(
  db: OrgDb,
  { store, uploadDir, findQuota }: ImportFileStorage,
  bundleId: string,
  received: readonly ReceivedFile[],
): Promise<{ files: BundleFile[] }> {
  const { provider, status, files: existing } = await getImportBundle(db, bundleId);
  requireEditableFiles(status);
  const unpacked: UnpackedFile[] = [];
  const storedIds: string[] = [];
  try {
    for (const file of received) await unpack(file, uploadDir, unpacked, IMPORT_FILES_AT_MOST - existing.length);
    const files: InspectedFile[] = [];
    const profiles = await listProfiles(db, provider);
    for (const file of unpacked) files.push(await inspect(file, provider, profiles));
    for (const file of files) {
      await store.put(db.organizationId, file.id, file.path);
      storedIds.push(file.id);
    }
    return await insertFiles(db, await findQuota(db), bundleId, files);
  } catch (error) {
    // After a server error the commit may have succeeded, so the files are left to the file sweep.
    if (isRefusal(error)) await Promise.allSettled(storedIds.map((id) => store.remove(db.organizationId, id)));
    throw error;
  } finally {
    await Promise.allSettled(unpacked.map(({ path }) => rm(path, { force: true })));
  }
}

async function unpack(file: ReceivedFile, uploadDir: string, unpacked: UnpackedFile[], maxFiles: number): Promise<void> {
  if (!(await isZip(file.path))) {
    unpacked.push({ name: file.name, path: file.path, size: file.size, sha256: file.sha256 });
  } else {
    const countBefore = unpacked.length;
    await withFileName(file.name, () =>
      unzip(file.path, { name: file.name, dir: uploadDir, maxFileBytes: IMPORT_FILE_MAX_BYTES, maxFiles: IMPORT_FILES_AT_MOST }, unpacked),
    );
    if (unpacked.length === countBefore)
      throw unsupportedFile(displayFileName(file.name), { message: "The file contains neither a CSV file nor a sheet with data." });
  }
  if (unpacked.length > maxFiles) throw tooManyFiles();
}

async function inspect(file: UnpackedFile, provider: ImportProvider, profiles: readonly SavedProfile[]): Promise<InspectedFile> {
  const { file: inspection, samples } = await withFileName(file.name, () => inspectFile(() => createReadStream(file.path), provider));
  const detected = detectForm(provider, file.name, inspection.header, samples);
  const unmapped: MappedColumns = { mapping: Object.fromEntries(inspection.header.map((name) => [name, null])), columnConfidence: {}, mappingConfidence: 0 };
  const mapped = { header: inspection.header, form: detected?.form.name ?? null, ...(detected?.mapped ?? unmapped) };
  return { ...file, id: newId(), ...inspection, ...mapped, mappingProfileId: null, ...proposeProfile(mapped, profiles) };
}

/** Runs the work and converts an `UnreadableFileError` to a 400 that names the file. */
export async function withFileName<T>(fileName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnreadableFileError ? unsupportedFile(displayFileName(fileName), error) : error;
  }
}

const insertFiles = (db: OrgDb, quota: StorageQuota, bundleId: string, files: readonly InspectedFile[]): Promise<{ files: BundleFile[] }> =>
  transaction(db, async (tx) => {
    const bundle = await lockBundleForFileChange(tx, bundleId);
    const existing = await tx.find(ImportFile, { bundleId });
    if (existing.length + files.length > IMPORT_FILES_AT_MOST) throw tooManyFiles();
    requireWithinQuota(
      quota,
      files.reduce((bytes, { size }) => bytes + size, await lockImportBytes(tx)),
    );
    const lastPosition = Math.max(0, ...existing.map(({ position }) => position));
    for (const [index, { name, size, path: _, ...file }] of files.entries())
      tx.create(ImportFile, {
        ...file,
        bundleId,
        position: lastPosition + index + 1,
        fileName: displayFileName(name),
        sizeBytes: size,
      });
    await tx.flush();
    await publishBundleUpdate(tx, bundleId, bundle.status);
    const ids = new Set(files.map(({ id }) => id));
    return { files: (await listFiles(tx, [bundleId])).filter(({ id }) => ids.has(id)) };
  });
