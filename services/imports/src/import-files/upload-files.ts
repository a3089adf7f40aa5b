import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { IMPORT_FILE_MAX_BYTES, IMPORT_FILES_AT_MOST, type BundleFile, type ImportProvider } from "@freehold/contract/import-bundles";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { ApiError, conflict } from "@freehold/kit/errors";
import type { FileStore } from "@freehold/kit/files/file-store";
import type { ReceivedFile } from "@freehold/kit/http/multipart";
import { announceUpdate } from "../events.ts";
import { lockOpenBundle } from "../import-bundles/lock-bundle.ts";
import { refuseUnlessOpen } from "../import-bundles/import-bundle.rules.ts";
import { findBundle } from "../import-bundles/import-bundles.queries.ts";
import { Unreadable, unsupported } from "../reading/unreadable-file.ts";
import { isZip, unzip, type Unpacked } from "../reading/unzip.ts";
import { ImportFile } from "./import-file.entity.ts";
import { filesOf } from "./import-files.queries.ts";
import { inspectFile, type Inspected } from "./inspect-file.ts";
import { findForm, type Mapped } from "./map-columns.ts";

/** Where files lie: those that are kept, and those on their way. */
export interface FileParts {
  store: FileStore;
  inbox: string;
}

interface Readable extends Unpacked, Inspected, Mapped {
  id: string;
  form: string | null;
}

const NAME_AT_MOST = 200;
/** The name of a file as it is shown and compared; it is never opened by it. */
export const shown = (name: string): string => name.replaceAll(/\p{C}/gu, "").slice(-NAME_AT_MOST) || "file.csv";

const tooMany = () => conflict(`A bundle has at most ${IMPORT_FILES_AT_MOST} files. Remove some, or create another bundle.`, "bundle_not_ready");

/** Keeps the files of one request, those inside ZIPs one by one: all of them, or none and nothing of them. */
export async function uploadImportFiles(
  db: OrgDb,
  { store, inbox }: FileParts,
  bundleId: string,
  received: readonly ReceivedFile[],
): Promise<{ files: BundleFile[] }> {
  const { provider, status, files: earlier } = await findBundle(db, bundleId);
  refuseUnlessOpen(status);
  const unpacked: Unpacked[] = [];
  const kept: string[] = [];
  try {
    for (const file of received) await unpack(file, inbox, unpacked, IMPORT_FILES_AT_MOST - earlier.length);
    const files: Readable[] = [];
    for (const file of unpacked) files.push(await read(file, provider));
    for (const file of files) {
      await store.put(db.organizationId, file.id, file.path);
      kept.push(file.id);
    }
    return await add(db, bundleId, files);
  } catch (error) {
    // Whoever is cut off from the database does not know what became of the commit: then the files stay until they are swept.
    if (error instanceof ApiError && error.status < 500) await Promise.allSettled(kept.map((id) => store.remove(db.organizationId, id)));
    throw error;
  } finally {
    await Promise.allSettled(unpacked.map(({ path }) => rm(path, { force: true })));
  }
}

async function unpack(file: ReceivedFile, inbox: string, unpacked: Unpacked[], places: number): Promise<void> {
  if (!(await isZip(file.path))) {
    unpacked.push({ name: file.name, path: file.path, size: file.size, sha256: file.sha256 });
  } else {
    const before = unpacked.length;
    await told(file.name, () => unzip(file.path, { dir: inbox, fileBytes: IMPORT_FILE_MAX_BYTES, files: IMPORT_FILES_AT_MOST }, unpacked));
    if (unpacked.length === before) throw unsupported(shown(file.name), { message: "There is no CSV file in it. Save the sheets as CSV and send those." });
  }
  if (unpacked.length > places) throw tooMany();
}

async function read(file: Unpacked, provider: ImportProvider): Promise<Readable> {
  const { file: inspected, samples } = await told(file.name, () => inspectFile(() => createReadStream(file.path), provider));
  const found = findForm(provider, file.name, inspected.header, samples);
  const unknown: Mapped = { mapping: Object.fromEntries(inspected.header.map((name) => [name, null])), columnConfidence: {}, mappingConfidence: 0 };
  return { ...file, id: newId(), ...inspected, form: found?.form.name ?? null, ...(found?.mapped ?? unknown) };
}

/** What goes wrong with a file is said with its name. */
export async function told<T>(fileName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Unreadable ? unsupported(shown(fileName), error) : error;
  }
}

const add = (db: OrgDb, bundleId: string, files: readonly Readable[]): Promise<{ files: BundleFile[] }> =>
  transaction(db, async (tx) => {
    const bundle = await lockOpenBundle(tx, bundleId);
    const earlier = await tx.find(ImportFile, { bundleId });
    if (earlier.length + files.length > IMPORT_FILES_AT_MOST) throw tooMany();
    const last = Math.max(0, ...earlier.map(({ position }) => position));
    for (const [index, { name, size, path: _, ...file }] of files.entries())
      tx.create(ImportFile, { ...file, bundleId, position: last + index + 1, fileName: shown(name), sizeBytes: size, mappingProfileId: null });
    await tx.flush();
    await announceUpdate(tx, bundleId, bundle.status);
    const ids = new Set(files.map(({ id }) => id));
    return { files: (await filesOf(tx, [bundleId])).filter(({ id }) => ids.has(id)) };
  });
