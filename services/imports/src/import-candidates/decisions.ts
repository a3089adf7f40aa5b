/**
 * Manual decisions and edits across validations. Candidates are deleted and created again by each validation, so decisions
 * are saved in `import_decision` first and restored to the candidates of the same rows afterwards.
 */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { ApiError } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";
import type { OriginalRow } from "../validation/candidates.queries.ts";
import { repeatableTypes } from "../validation/source-ids/equal-rows.rules.ts";
import { editCandidate } from "./edit-candidate.ts";
import { editsBetween } from "./edit.rules.ts";
import { requireExistingRecord } from "./require-record.ts";

/**
 * Candidates with the identity of their row: its source id before any edit, otherwise the digest of its file and its row
 * number. `nth` numbers the candidates of the same type and identity.
 */
const identifiedCandidates = (
  db: StatementRunner,
  bundleId: string,
) => sql`select k.*, row_number() over (partition by k.entity_type, k.identity order by k.position) as nth from (
    select c.organization_id, c.bundle_id, c.id, c.entity_type, c.position, c.row_number, c.row_digest, c.source_id, c.is_derived, c.former_entity_id, c.decision, c.chosen_entity_id, f.sha256,
      c.original is not null as is_edited,
      coalesce('id ' || (coalesce(c.original -> 'data', c.data) ->> 'source_id'), 'row ' || f.sha256 || ' ' || c.row_number) as identity
    from import_candidate c left join import_file f on f.organization_id = c.organization_id and f.id = c.file_id
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}) k where k.identity is not null`;

/** Saves the decisions and edits of the current candidates, before the candidates or their file are deleted. */
export async function saveDecisions(tx: OrgTx, bundleId: string): Promise<void> {
  const hasDecisions = await tx.first(sql`select 1 from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}
    and (decision is not null or original is not null) limit 1`);
  if (!hasDecisions) return;
  const edited = await tx.all(sql<OriginalRow & { id: string; original: OriginalRow }>`select id, data, parse_errors, original from import_candidate
    where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and original is not null`);
  const edits = JSON.stringify(edited.map(({ id, original, ...after }) => ({ id, edits: editsBetween(original, after) })));
  await tx.all(sql`insert into import_decision (organization_id, bundle_id, entity_type, identity, nth, decision, chosen_entity_id, former_entity_id, edits, sha256, row_number,
      row_digest)
    select c.organization_id, c.bundle_id, c.entity_type, c.identity, c.nth, c.decision, case c.decision when 'match' then c.chosen_entity_id end, c.former_entity_id, e.edits,
      c.sha256, c.row_number, c.row_digest
    from (${identifiedCandidates(tx, bundleId)}) c left join jsonb_to_recordset(${edits}::jsonb) as e (id uuid, edits jsonb) on e.id = c.id
    where c.decision is not null or c.is_edited
    on conflict (organization_id, bundle_id, entity_type, identity, nth) do update set decision = excluded.decision, chosen_entity_id = excluded.chosen_entity_id,
      former_entity_id = excluded.former_entity_id, edits = excluded.edits, sha256 = excluded.sha256, row_number = excluded.row_number, row_digest = excluded.row_digest`);
}

interface SavedDecision {
  /** Id of the candidate to which the decision is restored. */
  id: string;
  entityType: ImportEntityType;
  entityId: string | null;
  edits: Record<string, string | null> | null;
  isRowUnchanged: boolean;
}

/** Returns the saved matches and edits of the rows for which the validation has created a candidate. */
const findSavedDecisions = (db: StatementRunner, bundleId: string): Promise<SavedDecision[]> =>
  db.all(sql<SavedDecision>`select c.id, c.entity_type, d.chosen_entity_id as entity_id, d.edits,
      d.row_digest is not distinct from c.row_digest or (d.sha256 = c.sha256 and d.row_number = c.row_number) as is_row_unchanged
    from import_decision d join (${identifiedCandidates(db, bundleId)}) c on c.entity_type = d.entity_type and c.identity = d.identity and c.nth = d.nth
    where d.organization_id = ${db.organizationId} and d.bundle_id = ${bundleId} and (d.decision = 'match' or d.edits is not null) order by c.position`);

/**
 * Checks which saved decisions still apply, and returns a function that restores them to the candidates. A match is dropped
 * when its record no longer exists, a decision to create a record when the row has another one than before, since another bundle has written it, and an
 * edit when its row has changed or the edit is no longer valid.
 */
export async function prepareDecisionRestore(
  db: OrgDb,
  clients: Clients,
  { id: bundleId, namespace }: { id: string; namespace: string },
): Promise<(tx: OrgTx) => Promise<void>> {
  const hasDecisions = await db.first(sql`select 1 from import_decision where organization_id = ${db.organizationId} and bundle_id = ${bundleId} limit 1`);
  if (!hasDecisions) return () => Promise.resolve();
  const saved = await findSavedDecisions(db, bundleId);
  const missingIds: string[] = [];
  const matched = new Map(saved.flatMap(({ entityType, entityId }) => (entityId === null ? [] : [[entityId, entityType] as const])));
  for (const [entityId, entityType] of matched) if (!(await exists(db, clients, entityType, entityId))) missingIds.push(entityId);
  return async (tx) => {
    await tx.all(sql`update import_candidate target set decision = d.decision, chosen_entity_id = d.chosen_entity_id
      from import_decision d join (${identifiedCandidates(tx, bundleId)}) c on c.entity_type = d.entity_type and c.identity = d.identity and c.nth = d.nth
      where d.organization_id = ${tx.organizationId} and d.bundle_id = ${bundleId} and d.decision is not null
        and (d.chosen_entity_id is null or d.chosen_entity_id <> all(${missingIds}::uuid[]))
        and (d.decision <> 'create' or (c.is_derived and c.entity_type = any(${[...repeatableTypes]})) or d.former_entity_id is not distinct from (select former.entity_id from import_identity former
          where former.organization_id = d.organization_id and former.namespace = ${namespace} and former.entity_type = c.entity_type and former.source_id = c.source_id))
        and target.organization_id = ${tx.organizationId} and target.id = c.id`);
    for (const { id, edits, isRowUnchanged } of saved) if (edits && isRowUnchanged) await editCandidate(tx, bundleId, id, edits).catch(ignoreClientError);
  };
}

/**
 * Removes the decisions to create a record from rows of a type without ids of their own whose numbered ids have another record than before. Called once
 * the rows are numbered, because the ids say nothing before.
 */
export const dropOutdatedCreations = (tx: OrgTx, bundle: { id: string; namespace: string }, entityType: ImportEntityType): Promise<unknown[]> =>
  repeatableTypes.has(entityType)
    ? tx.all(sql`update import_candidate target set decision = null from import_decision d join (${identifiedCandidates(tx, bundle.id)}) c
          on c.entity_type = d.entity_type and c.identity = d.identity and c.nth = d.nth
        where d.organization_id = ${tx.organizationId} and d.bundle_id = ${bundle.id} and d.entity_type = ${entityType} and d.decision = 'create' and c.is_derived
          and d.former_entity_id is distinct from (select former.entity_id from import_identity former
            where former.organization_id = d.organization_id and former.namespace = ${bundle.namespace} and former.entity_type = c.entity_type and former.source_id = c.source_id)
          and target.organization_id = ${tx.organizationId} and target.id = c.id and target.decision = 'create'`)
    : Promise.resolve([]);

async function exists(db: OrgDb, clients: Clients, entityType: ImportEntityType, entityId: string): Promise<boolean> {
  try {
    await requireExistingRecord(db, clients, entityType, entityId);
    return true;
  } catch (error) {
    ignoreClientError(error);
    return false;
  }
}

/** Ignores 4xx errors: a decision that no longer applies is dropped. */
function ignoreClientError(error: unknown): void {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
}

/** Deletes the saved decisions of a bundle, at the end of the validation that restored them. */
export const deleteDecisions = (tx: OrgTx, bundleId: string): Promise<unknown[]> =>
  tx.all(sql`delete from import_decision where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}`);
