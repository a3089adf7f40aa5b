import type { importBundles } from "@freehold/contract/import-bundles";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid, notFound, unknownReference } from "@freehold/kit/errors";
import type { FileStore } from "@freehold/kit/files/file-store";
import { announceUpdate } from "../events.ts";
import { lockOpenBundle } from "../import-bundles/lock-bundle.ts";
import { keepDecisions } from "../import-candidates/decisions.ts";
import type { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { ImportMappingProfile } from "../import-mapping-profiles/import-mapping-profile.entity.ts";
import { ImportFile } from "./import-file.entity.ts";
import { filesOf } from "./import-files.queries.ts";
import { corrected, type MappedFile } from "./mapping.rules.ts";

type Operations = (typeof importBundles)["operations"];
type Answer = Promise<Output<Operations["updateImportFile"]>>;

const viewOf = async (tx: OrgTx, bundleId: string, fileId: string): Answer => {
  const file = (await filesOf(tx, [bundleId])).find(({ id }) => id === fileId);
  if (!file) throw notFound("Import file");
  return { file };
};

async function profileOf(tx: OrgTx, bundle: ImportBundle, id: string | null | undefined): Promise<ImportMappingProfile | undefined> {
  if (!id) return undefined;
  const profile = await tx.findOne(ImportMappingProfile, { id, deletedAt: null });
  if (!profile) throw unknownReference("mappingProfileId", "mapping profile");
  if (profile.provider !== bundle.provider)
    throw invalid([
      { path: "mappingProfileId", code: "mismatch", message: `The profile is for ${profile.provider}, and the bundle is of ${bundle.provider}.` },
    ]);
  return profile;
}

const mappedOf = ({ header, form, mapping, columnConfidence, mappingConfidence }: ImportFile): MappedFile => ({
  header,
  form: form ?? null,
  mapping,
  columnConfidence,
  mappingConfidence,
});

/** Says what a file holds, and sets its columns right. */
export const updateImportFile = (db: OrgDb, bundleId: string, fileId: string, changes: BodyOf<Operations["updateImportFile"]>): Answer =>
  transaction(db, async (tx) => {
    const file = await tx.getForUpdate(ImportFile, fileId, "Import file", { bundleId });
    const bundle = await lockOpenBundle(tx, bundleId);
    const { mappingProfileId, ...correction } = changes;
    const profile = await profileOf(tx, bundle, mappingProfileId);
    const isCorrected = Object.values(correction).some((each) => each !== undefined) || profile;
    tx.assign(file, {
      ...(isCorrected && corrected(bundle.provider, mappedOf(file), { ...correction, profile })),
      ...(mappingProfileId !== undefined && { mappingProfileId }),
      updatedAt: now(),
    });
    await tx.flush();
    await announceUpdate(tx, bundleId, bundle.status);
    return viewOf(tx, bundleId, fileId);
  });

/** Takes a file out of its bundle, and lets its bytes go. */
export async function deleteImportFile(db: OrgDb, store: FileStore, bundleId: string, fileId: string): Answer {
  const deleted = await transaction(db, async (tx) => {
    const file = await tx.getForUpdate(ImportFile, fileId, "Import file", { bundleId });
    const bundle = await lockOpenBundle(tx, bundleId);
    const view = await viewOf(tx, bundleId, fileId);
    // The same file may come back.
    await keepDecisions(tx, bundleId);
    tx.remove(file);
    await tx.flush();
    await announceUpdate(tx, bundleId, bundle.status);
    return view;
  });
  // What cannot be removed now is swept later.
  await store.remove(db.organizationId, fileId).catch(() => undefined);
  return deleted;
}
