import type { importBundles } from "@freehold/contract/imports/import-bundles";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { FileStore } from "@freehold/kit/files/file-store";
import { publishBundleStatus } from "../events.ts";
import { listFiles } from "../import-files/import-files.queries.ts";
import { beginValidation } from "./begin-validation.ts";
import { ImportBundle } from "./import-bundle.entity.ts";
import { bundleStates, emptyCounts, hasWritingBegun, requireMappedFiles } from "./import-bundle.rules.ts";
import { getImportBundle } from "./import-bundles.queries.ts";
import { lockBundle } from "./lock-bundle.ts";
import { startedByCaller } from "./started-by.ts";

type Operations = (typeof importBundles)["operations"];
type BundleResponse = Promise<Output<Operations["getImportBundle"]>>;

/** Creates a draft without files. */
export const createImportBundle = (db: OrgDb, terms: BodyOf<Operations["createImportBundle"]>): BundleResponse =>
  transaction(db, async (tx) => {
    const initialProgress = { phase: null, processed: 0, total: 0, counts: emptyCounts(), run: 0 };
    const bundle = tx.create(ImportBundle, { ...terms, ...initialProgress, status: "draft", createdByUserId: db.principal.userId });
    await tx.flush();
    await publishBundleStatus(tx, bundle.id, "draft");
    return { importBundle: await getImportBundle(tx, bundle.id) };
  });

/** Queues a validation of the bundle, which replaces the results of an earlier one. */
export const validateImportBundle = (db: OrgDb, id: string): BundleResponse =>
  transaction(db, async (tx) => {
    const bundle = await lockBundle(tx, id);
    bundleStates.transition(bundle.status, "inspecting");
    requireMappedFiles(bundle.provider, await listFiles(tx, [id]));
    tx.assign(bundle, { startedBy: startedByCaller(db) });
    await beginValidation(tx, bundle);
    return { importBundle: await getImportBundle(tx, id) };
  });

/** Cancels a bundle and deletes its files. A bundle whose writing has begun is returned unchanged. */
export async function cancelImportBundle(db: OrgDb, store: FileStore, id: string): BundleResponse {
  const { importBundle } = await transaction(db, async (tx) => {
    const bundle = await lockBundle(tx, id);
    if (!hasWritingBegun(bundle.status)) {
      tx.assign(bundle, { status: bundleStates.transition(bundle.status, "cancelled"), cursor: null, phase: null, updatedAt: now() });
      await publishBundleStatus(tx, id, "cancelled");
    }
    return { importBundle: await getImportBundle(tx, id) };
  });
  // The file sweep removes the files that cannot be removed here.
  if (importBundle.status === "cancelled") await Promise.allSettled(importBundle.files.map((file) => store.remove(db.organizationId, file.id)));
  return { importBundle };
}
