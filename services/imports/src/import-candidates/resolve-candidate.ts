import type { importBundles } from "@freehold/contract/imports/import-bundles";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, notFound, preconditionFailed } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import { publishBundleUpdate } from "../events.ts";
import type { Clients } from "../clients.ts";
import { lockParentBundle } from "../import-bundles/lock-bundle.ts";
import { requireReady } from "../import-bundles/import-bundle.rules.ts";
import { getImportBundle } from "../import-bundles/import-bundles.queries.ts";
import type { FieldValues } from "../validation/draft.ts";
import { countByStatus, findCandidatesWhere } from "../validation/candidates.queries.ts";
import { requireNamedAccount } from "../validation/accounts/named-accounts.ts";
import { editCandidate, revertEdits } from "./edit-candidate.ts";
import { getCandidate } from "./import-candidates.queries.ts";
import { type BundleRef, reevaluateReferring, reevaluateUnresolved, reevaluateWithMoney, updateDependentStatuses } from "./reevaluate-candidates.ts";
import { requireExistingRecord } from "./require-record.ts";

type Operations = (typeof importBundles)["operations"];
type Resolution = BodyOf<Operations["resolveImportCandidate"]>;

/** Resolves one candidate and reevaluates it and all its dependents in the same transaction. */
export async function resolveImportCandidate(
  db: OrgDb,
  clients: Clients,
  bundleId: string,
  candidateId: string,
  resolution: Resolution,
): Promise<Output<Operations["resolveImportCandidate"]>> {
  const { entityType, data } = await getCandidate(db, bundleId, candidateId);
  if (resolution.entityId !== undefined) await requireExistingRecord(db, clients, entityType, resolution.entityId);
  if (resolution.data?.["bank_account"] || resolution.data?.["category_code"])
    await requireNamedAccount(db, clients, entityType, textsOf({ holder: data["holder"], type: data["type"], ...resolution.data }));
  return transaction(db, async (tx) => {
    const bundle = await lockParentBundle(tx, bundleId);
    requireReady(bundle.status);
    await lockResolvableCandidate(tx, candidateId, resolution.action);
    const bundleRef: BundleRef = { id: bundleId, namespace: bundle.sourceNamespace };
    await applyResolution(tx, bundleId, candidateId, resolution);
    const [row] = await findCandidatesWhere(tx, bundleId, sql`c.id = ${candidateId}`);
    const ids = await reevaluateWithMoney(tx, bundleRef, [row!]);
    if (resolution.action === "reset" && entityType !== "lease") ids.push(...(await reevaluateReferring(tx, bundleRef, [candidateId])));
    if (resolution.action === "edit" || resolution.action === "reset") ids.push(...(await reevaluateUnresolved(tx, bundleRef, entityType)));
    await updateDependentStatuses(tx, bundleId, ids);
    tx.assign(bundle, { counts: await countByStatus(tx, bundleId), updatedAt: now() });
    await publishBundleUpdate(tx, bundleId, bundle.status);
    return { candidate: await getCandidate(tx, bundleId, candidateId), importBundle: await getImportBundle(tx, bundleId) };
  });
}

/** Returns the fields that have a text. */
const textsOf = (fields: Readonly<Record<string, unknown>>): FieldValues =>
  Object.fromEntries(Object.entries(fields).flatMap(([field, text]) => (typeof text === "string" && text !== "" ? [[field, text]] : [])));

/** Locks a candidate and checks `If-Match`. Throws 409 for a merged duplicate, which can only be excluded or reset. */
async function lockResolvableCandidate(tx: OrgTx, id: string, action: Resolution["action"]): Promise<void> {
  const candidate = await tx.first(sql<{ version: number; mergedIntoId: string | null }>`select version, merged_into_id from import_candidate
    where organization_id = ${tx.organizationId} and id = ${id} for update`);
  if (!candidate) throw notFound("Import candidate");
  const { ifMatch } = tx.db.request;
  if (ifMatch && !ifMatch.includes(candidate.version))
    throw preconditionFailed("The import candidate has changed since you read it. Read it again and repeat the change.", "version_conflict");
  if (candidate.mergedIntoId !== null && (action === "match" || action === "create" || action === "edit"))
    throw conflict(`The candidate was merged as a duplicate. Resolve the candidate it was merged into: ${candidate.mergedIntoId}.`, "invalid_transition");
}

async function applyResolution(tx: OrgTx, bundleId: string, id: string, { action, entityId, data }: Resolution): Promise<void> {
  if (action === "edit") return editCandidate(tx, bundleId, id, data ?? {});
  if (action === "reset") await revertEdits(tx, bundleId, id);
  const decision = action === "reset" ? null : action;
  await tx.all(sql`update import_candidate set decision = ${decision}, chosen_entity_id = ${entityId ?? null}
    where organization_id = ${tx.organizationId} and id = ${id}`);
}
