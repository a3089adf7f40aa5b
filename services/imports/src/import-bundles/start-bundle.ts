import { importEntityTypes, type importBundles } from "@freehold/contract/imports/import-bundles";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { publishBundleStatus } from "../events.ts";
import { countByType } from "../validation/candidates.queries.ts";
import { bundleStates, requireStartable } from "./import-bundle.rules.ts";
import { getImportBundle } from "./import-bundles.queries.ts";
import { lockBundle } from "./lock-bundle.ts";
import { haveSameRecords, listRunningBundles, lockStarts } from "./overlapping-bundles.queries.ts";
import { startedByCaller } from "./started-by.ts";
import { writingCursorBefore } from "../validation/cursor.ts";

type Operations = (typeof importBundles)["operations"];

/** Creates the error for a second bundle of a namespace: written concurrently, neither would see the identities of the other. */
export const importRunningConflict = () =>
  conflict("Another bundle of this namespace is being written. Wait until it is done, then start this one.", "import_running");

/** Queues a ready bundle to be written on behalf of the caller. */
export const startImportBundle = (db: OrgDb, id: string): Promise<Output<Operations["startImportBundle"]>> =>
  transaction(db, async (tx) => {
    const bundle = await lockBundle(tx, id);
    requireStartable(bundle.status);
    await requireNoOverlap(tx, { id, namespace: bundle.sourceNamespace });
    const status = bundleStates.transition(bundle.status, "queued");
    const counts = await countByType(tx, id);
    tx.assign(bundle, {
      status,
      run: bundle.run + 1,
      cursor: writingCursorBefore(importEntityTypes.find((type) => counts.has(type)) ?? "owner"),
      phase: null,
      processed: 0,
      total: bundle.counts.ready_create + bundle.counts.ready_update,
      retryAt: null,
      failures: 0,
      startedBy: startedByCaller(db),
      startedAt: now(),
      updatedAt: now(),
    });
    await scheduleNow(tx, "writeBundles");
    await publishBundleStatus(tx, id, status);
    return { importBundle: await getImportBundle(tx, id) };
  });

/** Throws 409 while a bundle of another namespace with the same records is being written. Afterwards this one is validated again. */
async function requireNoOverlap(tx: OrgTx, bundle: { id: string; namespace: string }): Promise<void> {
  await lockStarts(tx);
  for (const running of await listRunningBundles(tx, bundle))
    if (await haveSameRecords(tx, running.id, bundle.id))
      throw conflict(
        "Another bundle with some of the same records is being written. Wait until it is done and this one is validated again, then start this one.",
        "import_running",
      );
}
