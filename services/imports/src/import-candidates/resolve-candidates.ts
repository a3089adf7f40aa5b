import { importEntityTypes, type importBundles } from "@freehold/contract/imports/import-bundles";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { unknownReference } from "@freehold/kit/errors";
import { and } from "@freehold/kit/db/list";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { publishBundleStatus, publishBundleUpdate } from "../events.ts";
import { ImportFile } from "../import-files/import-file.entity.ts";
import type { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { bundleStates, requireReady } from "../import-bundles/import-bundle.rules.ts";
import { lockParentBundle } from "../import-bundles/lock-bundle.ts";
import { type CandidateRow, countByStatus, countByType, findCandidatesWhere } from "../validation/candidates.queries.ts";
import { revertEdits } from "./edit-candidate.ts";
import { candidateConditions } from "./import-candidates.queries.ts";
import {
  type BundleRef,
  reevaluateInOrder,
  reevaluateReferring,
  reevaluateUnresolved,
  reevaluateWithMoney,
  updateDependentStatuses,
} from "./reevaluate-candidates.ts";

type Operations = (typeof importBundles)["operations"];

/** Maximum number of candidates that are reevaluated before the response; more are reevaluated by the validation job. */
const MAX_SYNCHRONOUS = 2_000;
const POSITIONS_PER_STATEMENT = 25_000;

type Action = BodyOf<Operations["resolveImportCandidates"]>["action"];

/** Resolves all candidates that match the filters. Merged duplicates can only be excluded and reset. */
export const resolveImportCandidates = (
  db: OrgDb,
  bundleId: string,
  { action, ...filters }: BodyOf<Operations["resolveImportCandidates"]>,
): Promise<Output<Operations["resolveImportCandidates"]>> =>
  transaction(db, async (tx) => {
    const bundle = await lockParentBundle(tx, bundleId);
    requireReady(bundle.status);
    const { fileId } = filters;
    if (fileId !== undefined && !(await tx.findOne(ImportFile, { id: fileId, bundleId }))) throw unknownReference("fileId", "file in the bundle");
    const condition = and([...candidateConditions(filters), action !== "exclude" && action !== "reset" && sql`c.merged_into_id is null`]);
    const bundleRef = { id: bundleId, namespace: bundle.sourceNamespace };
    const edited = action === "reset" ? await findCandidatesWhere(tx, bundleId, sql`${condition} and c.original is not null`) : [];
    const { updated, firstIds } = await setDecision(tx, bundleId, condition, action);
    // After the decisions, because a reverted candidate may no longer match the filters.
    for (const { id } of edited) await revertEdits(tx, bundleId, id);
    await reevaluateReverted(tx, bundleRef, edited);
    if (updated > MAX_SYNCHRONOUS) await scheduleReevaluation(tx, bundle);
    else await reevaluateNow(tx, bundleRef, firstIds);
    tx.assign(bundle, { counts: await countByStatus(tx, bundleId), updatedAt: now() });
    await publishBundleUpdate(tx, bundleId, bundle.status);
    return { updated };
  });

/** Sets the decision of the matching candidates. Returns their number, and the ids of at least the first `MAX_SYNCHRONOUS`. */
async function setDecision(tx: OrgTx, bundleId: string, condition: RawBuilder<unknown>, action: Action): Promise<{ updated: number; firstIds: string[] }> {
  const { lastPosition } = (await tx.first(sql<{ lastPosition: number }>`select coalesce(max(position), 0) as last_position from import_candidate
    where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}`))!;
  const firstIds: string[] = [];
  let updated = 0;
  for (let previousPosition = 0; previousPosition < lastPosition; previousPosition += POSITIONS_PER_STATEMENT) {
    const rows = await tx.all(sql<{ id: string }>`update import_candidate c set decision = ${action === "reset" ? null : action},
        chosen_entity_id = case when ${action} = 'exclude' then c.chosen_entity_id end
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.position > ${previousPosition}
        and c.position <= ${previousPosition + POSITIONS_PER_STATEMENT}
        and ${condition}
      returning c.id`);
    updated += rows.length;
    if (firstIds.length <= MAX_SYNCHRONOUS) firstIds.push(...rows.map(({ id }) => id));
  }
  return { updated, firstIds };
}

async function reevaluateNow(tx: OrgTx, bundle: BundleRef, ids: readonly string[]): Promise<void> {
  const rows = await findCandidatesWhere(tx, bundle.id, sql`c.id = any(${[...ids]}::uuid[])`);
  await updateDependentStatuses(tx, bundle.id, await reevaluateWithMoney(tx, bundle, rows));
}

/** Resolves the references of candidates whose edits were reverted, and of those that may refer to them, again. */
async function reevaluateReverted(tx: OrgTx, bundle: BundleRef, reverted: readonly CandidateRow[]): Promise<void> {
  if (reverted.length === 0) return;
  const revertedIds = reverted.map(({ id }) => id);
  const ids = await reevaluateInOrder(tx, bundle, await findCandidatesWhere(tx, bundle.id, sql`c.id = any(${revertedIds}::uuid[])`));
  ids.push(...(await reevaluateReferring(tx, bundle, revertedIds)));
  for (const entityType of new Set(reverted.map((row) => row.entityType))) ids.push(...(await reevaluateUnresolved(tx, bundle, entityType)));
  await updateDependentStatuses(tx, bundle.id, ids);
}

/** Returns the bundle to `validating` and has the job repeat the evaluation step of all candidates. */
async function scheduleReevaluation(tx: OrgTx, bundle: ImportBundle): Promise<void> {
  const counts = await countByType(tx, bundle.id);
  const entityType = importEntityTypes.find((type) => counts.has(type))!;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const cursor = { step: "judge" as const, entityType, position: 0, again: true as const };
  tx.assign(bundle, { status: bundleStates.transition(bundle.status, "validating"), run: bundle.run + 1, cursor, phase: "judging", processed: 0, total });
  await scheduleNow(tx, "validateBundles");
  await publishBundleStatus(tx, bundle.id, bundle.status);
}
