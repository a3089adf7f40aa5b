import type { importBundles } from "@freehold/contract/import-bundles";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, notFound, preconditionFailed } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import { announceUpdate } from "../events.ts";
import type { Clients } from "../clients.ts";
import { lockBundleOf } from "../import-bundles/lock-bundle.ts";
import { refuseUnlessReady } from "../import-bundles/import-bundle.rules.ts";
import { findBundle } from "../import-bundles/import-bundles.queries.ts";
import { candidatesOf, countCandidates } from "../validation/candidates.queries.ts";
import { refuseUnknownRecord } from "./require-record.ts";
import { editCandidate, restoreCandidate } from "./edit-candidate.ts";
import { findCandidate } from "./import-candidates.queries.ts";
import { judgeAgain, lookAgain, setStatusesFrom, type Bundle } from "./reevaluate-candidates.ts";

type Operations = (typeof importBundles)["operations"];
type Resolution = BodyOf<Operations["resolveImportCandidate"]>;

/** Decides what becomes of one candidate; it and all that depends on it are judged again before the answer. */
export async function resolveImportCandidate(
  db: OrgDb,
  ask: Clients,
  bundleId: string,
  candidateId: string,
  resolution: Resolution,
): Promise<Output<Operations["resolveImportCandidate"]>> {
  const { entityType } = await findCandidate(db, bundleId, candidateId);
  if (resolution.entityId !== undefined) await refuseUnknownRecord(db, ask, entityType, resolution.entityId);
  return transaction(db, async (tx) => {
    const bundle = await lockBundleOf(tx, bundleId);
    refuseUnlessReady(bundle.status);
    await refuseMerged(tx, candidateId, resolution.action);
    const about: Bundle = { id: bundleId, namespace: bundle.sourceNamespace };
    await decide(tx, about, candidateId, resolution);
    const [row] = await candidatesOf(tx, bundleId, sql`c.id = ${candidateId}`);
    await judgeAgain(tx, about, [row!]);
    const others = resolution.action === "edit" || resolution.action === "reset" ? await lookAgain(tx, about, entityType) : [];
    await setStatusesFrom(tx, bundleId, [candidateId, ...others]);
    tx.assign(bundle, { counts: await countCandidates(tx, bundleId), updatedAt: now() });
    await announceUpdate(tx, bundleId, bundle.status);
    return { candidate: await findCandidate(tx, bundleId, candidateId), importBundle: await findBundle(tx, bundleId) };
  });
}

/** A duplicate has no life of its own, and whoever read another version than there is has to look again. */
async function refuseMerged(tx: OrgTx, id: string, action: Resolution["action"]): Promise<void> {
  const held = await tx.first(sql<{ version: number; mergedIntoId: string | null }>`select version, merged_into_id from import_candidate
    where organization_id = ${tx.organizationId} and id = ${id} for update`);
  if (!held) throw notFound("Import candidate");
  const { ifMatch } = tx.db.request;
  if (ifMatch !== undefined && ifMatch !== held.version)
    throw preconditionFailed("The import candidate has changed since you read it. Read it again and repeat the change.", "version_conflict");
  if (held.mergedIntoId !== null && (action === "match" || action === "create" || action === "edit"))
    throw conflict(`The candidate is a duplicate. Resolve the one that stands for both: ${held.mergedIntoId}.`, "invalid_transition");
}

async function decide(tx: OrgTx, bundle: Bundle, id: string, { action, entityId, data }: Resolution): Promise<void> {
  const set = (decision: string | null, chosen: string | null) =>
    tx.all(sql`update import_candidate set decision = ${decision}, chosen_entity_id = ${chosen} where organization_id = ${tx.organizationId} and id = ${id}`);
  if (action === "edit") return editCandidate(tx, bundle.id, id, data ?? {});
  if (action === "reset") await restoreCandidate(tx, bundle.id, id);
  await set(action === "reset" ? null : action, entityId ?? null);
}
