import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { notFound } from "@freehold/kit/errors";
import { announceStatus } from "../events.ts";
import { ImportBundle } from "./import-bundle.entity.ts";
import { bundleFlow, noCounts, refuseUnlessOpen } from "./import-bundle.rules.ts";

/** The bundle itself, locked for a change of the version that the caller read. */
export const lockBundle = (tx: OrgTx, id: string): Promise<ImportBundle> => tx.getForUpdate(ImportBundle, id, "Import bundle", { mode: null });

/** The bundle that something belongs to, locked while that is changed; which version it has does not matter. */
export async function lockBundleOf(tx: OrgTx, id: string): Promise<ImportBundle> {
  const [bundle] = await tx.findAllForUpdate(ImportBundle, [id]);
  if (!bundle || bundle.mode) throw notFound("Import bundle");
  return bundle;
}

/** The bundle whose files are to change: one that was ready is a draft again, since what was found of its rows no longer holds. */
export async function lockOpenBundle(tx: OrgTx, id: string): Promise<ImportBundle> {
  const bundle = await lockBundleOf(tx, id);
  refuseUnlessOpen(bundle.status);
  if (bundle.status !== "draft") {
    tx.assign(bundle, { status: bundleFlow.transition(bundle.status, "draft"), counts: noCounts(), phase: null, cursor: null, validatedAt: null, error: null });
    await announceStatus(tx, id, "draft");
  }
  tx.assign(bundle, { updatedAt: now() });
  return bundle;
}
