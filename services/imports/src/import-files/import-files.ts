import type { importBundles } from "@freehold/contract/imports/import-bundles";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid, notFound, unknownReference } from "@freehold/kit/errors";
import type { FileStore } from "@freehold/kit/files/file-store";
import { publishBundleUpdate } from "../events.ts";
import { lockBundleForFileChange } from "../import-bundles/lock-bundle.ts";
import { saveDecisions } from "../import-candidates/decisions.ts";
import type { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { ImportMappingProfile } from "../import-mapping-profiles/import-mapping-profile.entity.ts";
import { ImportFile } from "./import-file.entity.ts";
import { listFiles } from "./import-files.queries.ts";
import { applyCorrection, type MappedFile } from "./mapping.rules.ts";

type Operations = (typeof importBundles)["operations"];
type FileResponse = Promise<Output<Operations["updateImportFile"]>>;

const getFile = async (tx: OrgTx, bundleId: string, fileId: string): FileResponse => {
  const file = (await listFiles(tx, [bundleId])).find(({ id }) => id === fileId);
  if (!file) throw notFound("Import file");
  return { file };
};

async function getProfile(tx: OrgTx, bundle: ImportBundle, id: string | null | undefined): Promise<ImportMappingProfile | undefined> {
  if (!id) return undefined;
  const profile = await tx.findOne(ImportMappingProfile, { id, deletedAt: null });
  if (!profile) throw unknownReference("mappingProfileId", "mapping profile");
  if (profile.provider !== bundle.provider)
    throw invalid([
      { path: "mappingProfileId", code: "mismatch", message: `The profile is for ${profile.provider}, and the bundle is for ${bundle.provider}.` },
    ]);
  return profile;
}

const toMappedFile = ({ header, form, mapping, columnConfidence, mappingConfidence }: ImportFile): MappedFile => ({
  header,
  form: form ?? null,
  mapping,
  columnConfidence,
  mappingConfidence,
});

/** Corrects the form and the column mapping of a file. */
export const updateImportFile = (db: OrgDb, bundleId: string, fileId: string, changes: BodyOf<Operations["updateImportFile"]>): FileResponse =>
  transaction(db, async (tx) => {
    const file = await tx.getForUpdate(ImportFile, fileId, "Import file", { bundleId });
    const bundle = await lockBundleForFileChange(tx, bundleId);
    const { mappingProfileId, ...correction } = changes;
    const profile = await getProfile(tx, bundle, mappingProfileId);
    const isCorrected = Object.values(correction).some((value) => value !== undefined) || profile;
    tx.assign(file, {
      ...(isCorrected && applyCorrection(bundle.provider, toMappedFile(file), { ...correction, profile })),
      ...(mappingProfileId !== undefined && { mappingProfileId }),
      updatedAt: now(),
    });
    await tx.flush();
    await publishBundleUpdate(tx, bundleId, bundle.status);
    return getFile(tx, bundleId, fileId);
  });

/** Removes a file from its bundle and deletes its content. */
export async function deleteImportFile(db: OrgDb, store: FileStore, bundleId: string, fileId: string): FileResponse {
  const deleted = await transaction(db, async (tx) => {
    const file = await tx.getForUpdate(ImportFile, fileId, "Import file", { bundleId });
    const bundle = await lockBundleForFileChange(tx, bundleId);
    const view = await getFile(tx, bundleId, fileId);
    // Decisions are kept for the case that another file with the same rows is uploaded.
    await saveDecisions(tx, bundleId);
    tx.remove(file);
    await tx.flush();
    await publishBundleUpdate(tx, bundleId, bundle.status);
    return view;
  });
  // The file sweep removes the content if this fails.
  await store.remove(db.organizationId, fileId).catch(() => undefined);
  return deleted;
}
