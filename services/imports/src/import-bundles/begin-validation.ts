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
 * Queues the validation of the other bundles of the namespace that have a row which the bundle has written: they were validated without its
 * record and would write the row once more instead of updating it. Called before the end of the writing, and again when that was not committed.
 */
export async function validateOverlappingBundles(db: OrgDb, writtenId: string): Promise<void> {
  const others = await db.all(sql<{ id: string }>`select other.id from import_bundle written
    join import_bundle other on other.organization_id = written.organization_id and other.source_namespace = written.source_namespace and other.id <> written.id
      and other.mode is null and other.status in ('validating', 'ready')
    where written.organization_id = ${db.organizationId} and written.id = ${writtenId} and written.mode is null and written.status = 'processing'`);
  for (const { id } of others) if (await overlaps(db, writtenId, id)) await validateAgain(db, id);
}

const overlaps = async (db: OrgDb, writtenId: string, otherId: string): Promise<boolean> =>
  (await db.first(sql`select 1 as one from import_candidate written
    join import_candidate other on other.organization_id = written.organization_id and other.bundle_id = ${otherId} and other.entity_type = written.entity_type
      and other.source_id = written.source_id
    where written.organization_id = ${db.organizationId} and written.bundle_id = ${writtenId} and written.status in ('ready_create', 'ready_update')
      and written.result_entity_id is not null limit 1`)) !== undefined;

const validateAgain = (db: OrgDb, id: string): Promise<void> =>
  transaction(db, async (tx) => {
    const [bundle] = await tx.findAllForUpdate(ImportBundle, [id]);
    if (bundle?.status === "ready" || bundle?.status === "validating") await beginValidation(tx, bundle);
  });
