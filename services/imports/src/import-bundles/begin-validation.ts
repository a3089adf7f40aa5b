/** Beginning of a validation, which replaces the results of an earlier one: on request, and after another bundle has written rows that both have. */
import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { publishBundleStatus } from "../events.ts";
import { ImportBundle } from "./import-bundle.entity.ts";
import { emptyCounts } from "./import-bundle.rules.ts";
import { haveSamePostings, haveSameRecords, haveSameSourceIds } from "./overlapping-bundles.queries.ts";

/** Queues the validation of a locked bundle that is not being written. */
export async function beginValidation(tx: OrgTx, bundle: ImportBundle): Promise<void> {
  tx.assign(bundle, {
    status: "inspecting",
    run: bundle.run + 1,
    cursor: { step: "clear" },
    phase: "inspecting",
    processed: 0,
    total: 0,
    counts: emptyCounts(),
    retryAt: null,
    failures: 0,
    validatedAt: null,
    error: null,
    updatedAt: now(),
  });
  await scheduleNow(tx, "validateBundles");
  await publishBundleStatus(tx, bundle.id, "inspecting");
}

/**
 * Queues the validation of the other bundles that were validated without the records which the bundle has written, and would write them once more instead
 * of updating them: those of the namespace with a row of the bundle, and those of other namespaces with a row for the same record. Called before the end of
 * the writing, and again when that was not committed.
 */
export async function validateOverlappingBundles(db: OrgDb, writtenId: string): Promise<void> {
  const others = await db.all(sql<{ id: string; isValidated: boolean; isOfNamespace: boolean }>`select other.id, other.status = 'ready' as is_validated,
      other.source_namespace = written.source_namespace as is_of_namespace
    from import_bundle written join import_bundle other on other.organization_id = written.organization_id and other.id <> written.id
      and other.mode is null and other.status in ('validating', 'ready')
    where written.organization_id = ${db.organizationId} and written.id = ${writtenId} and written.mode is null and written.status = 'processing'`);
  for (const { id, isValidated, isOfNamespace } of others) {
    // A validation that is not finished may have looked for a record just before it was written, and has no keys to compare yet.
    const overlaps = isOfNamespace
      ? (await haveSameSourceIds(db, writtenId, id)) || (await haveSamePostings(db, writtenId, id))
      : !isValidated || (await haveSameRecords(db, writtenId, id));
    if (overlaps) await validateAgain(db, id);
  }
}

const validateAgain = (db: OrgDb, id: string): Promise<void> =>
  transaction(db, async (tx) => {
    const [bundle] = await tx.findAllForUpdate(ImportBundle, [id]);
    if (bundle?.status === "ready" || bundle?.status === "validating") await beginValidation(tx, bundle);
  });
