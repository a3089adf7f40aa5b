import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { notFound } from "@freehold/kit/errors";
import { publishBundleStatus } from "../events.ts";
import { ImportBundle } from "./import-bundle.entity.ts";
import { bundleStates, emptyCounts, requireEditableFiles } from "./import-bundle.rules.ts";

/** Locks a bundle and checks `If-Match` against its version. Throws 404 for a bulk import, which is a bundle with a `mode`. */
export const lockBundle = (tx: OrgTx, id: string): Promise<ImportBundle> => tx.getForUpdate(ImportBundle, id, "Import bundle", { mode: null });

/** Locks the bundle of a file or candidate that is about to change; `If-Match` applies to the file or candidate. Throws 404 for a bulk import. */
export async function lockParentBundle(tx: OrgTx, id: string): Promise<ImportBundle> {
  const [bundle] = await tx.findAllForUpdate(ImportBundle, [id]);
  if (!bundle || bundle.mode) throw notFound("Import bundle");
  return bundle;
}

/** Locks a bundle whose files are about to change and returns it to `draft`, since results of its validation no longer apply. */
export async function lockBundleForFileChange(tx: OrgTx, id: string): Promise<ImportBundle> {
  const bundle = await lockParentBundle(tx, id);
  requireEditableFiles(bundle.status);
  if (bundle.status !== "draft") {
    tx.assign(bundle, {
      status: bundleStates.transition(bundle.status, "draft"),
      counts: emptyCounts(),
      phase: null,
      cursor: null,
      validatedAt: null,
      error: null,
    });
    await publishBundleStatus(tx, id, "draft");
  }
  tx.assign(bundle, { updatedAt: now() });
  return bundle;
}
