/** Beginning of a validation, which replaces the results of an earlier one: on request, and after another bundle has written rows that both have. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
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
 * record and would write the row once more instead of updating it.
 */
export async function validateOverlappingBundles(tx: OrgTx, bundleId: string): Promise<void> {
  const overlapping = await tx.all(sql<{ id: string }>`select other.id from import_bundle written
    join import_bundle other on other.organization_id = written.organization_id and other.source_namespace = written.source_namespace and other.id <> written.id
      and other.mode is null and other.status in ('validating', 'ready')
    where written.organization_id = ${tx.organizationId} and written.id = ${bundleId} and written.mode is null
      and exists (select from import_candidate mine join import_candidate theirs on theirs.organization_id = mine.organization_id and theirs.bundle_id = other.id
          and theirs.entity_type = mine.entity_type and theirs.source_id = mine.source_id
        where mine.organization_id = written.organization_id and mine.bundle_id = written.id and mine.result_entity_id is not null)`);
  const bundles = await tx.findAllForUpdate(
    ImportBundle,
    overlapping.map(({ id }) => id),
  );
  for (const bundle of bundles) if (bundle.status === "ready" || bundle.status === "validating") await beginValidation(tx, bundle);
}
