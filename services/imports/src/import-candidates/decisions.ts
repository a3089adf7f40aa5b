/** What people decided over the candidates of a bundle outlives them: it waits while the bundle is validated anew, and comes to the candidates of the same rows. */
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { ApiError } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";
import type { Original } from "../validation/candidates.queries.ts";
import { refuseUnknownRecord } from "./require-record.ts";
import { editCandidate } from "./edit-candidate.ts";
import { editsBetween } from "./edit.rules.ts";

/**
 * The candidates of a bundle by what tells their rows again: the id that a row has, before anybody edited it, or else the
 * digest of its file and its number; and the how many-th of its type they are in it.
 */
const told = (
  db: StatementRunner,
  bundleId: string,
) => sql`select k.*, row_number() over (partition by k.entity_type, k.identity order by k.position) as nth from (
    select c.organization_id, c.bundle_id, c.id, c.entity_type, c.position, c.row_number, c.row_digest, c.decision, c.chosen_entity_id, f.sha256,
      c.original is not null as is_edited,
      coalesce('id ' || (coalesce(c.original -> 'data', c.data) ->> 'source_id'), 'row ' || f.sha256 || ' ' || c.row_number) as identity
    from import_candidate c left join import_file f on f.organization_id = c.organization_id and f.id = c.file_id
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}) k where k.identity is not null`;

/** Writes down what was decided over the candidates that there are, before they or a file of theirs go. */
export async function keepDecisions(tx: OrgTx, bundleId: string): Promise<void> {
  const isAny = await tx.first(sql`select 1 from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}
    and (decision is not null or original is not null) limit 1`);
  if (!isAny) return;
  const edited = await tx.all(sql<Original & { id: string; original: Original }>`select id, data, parse_errors, original from import_candidate
    where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and original is not null`);
  const edits = JSON.stringify(edited.map(({ id, original, ...after }) => ({ id, edits: editsBetween(original, after) })));
  await tx.all(sql`insert into import_decision (organization_id, bundle_id, entity_type, identity, nth, decision, chosen_entity_id, edits, sha256, row_number, row_digest)
    select c.organization_id, c.bundle_id, c.entity_type, c.identity, c.nth, c.decision, case c.decision when 'match' then c.chosen_entity_id end, e.edits, c.sha256,
      c.row_number, c.row_digest
    from (${told(tx, bundleId)}) c left join jsonb_to_recordset(${edits}::jsonb) as e (id uuid, edits jsonb) on e.id = c.id
    where c.decision is not null or c.is_edited
    on conflict (organization_id, bundle_id, entity_type, identity, nth) do update set decision = excluded.decision, chosen_entity_id = excluded.chosen_entity_id,
      edits = excluded.edits, sha256 = excluded.sha256, row_number = excluded.row_number, row_digest = excluded.row_digest`);
}

interface Returning {
  id: string;
  entityType: ImportEntityType;
  entityId: string | null;
  edits: Record<string, string | null> | null;
  isSame: boolean;
}

/** What was decided over rows that are there again: records that were chosen, and edits, which hold for what a row said then. */
const returning = (db: StatementRunner, bundleId: string): Promise<Returning[]> =>
  db.all(sql<Returning>`select c.id, c.entity_type, d.chosen_entity_id as entity_id, d.edits,
      d.row_digest is not distinct from c.row_digest or (d.sha256 = c.sha256 and d.row_number = c.row_number) as is_same
    from import_decision d join (${told(db, bundleId)}) c on c.entity_type = d.entity_type and c.identity = d.identity and c.nth = d.nth
    where d.organization_id = ${db.organizationId} and d.bundle_id = ${bundleId} and (d.decision = 'match' or d.edits is not null) order by c.position`);

/**
 * Finds what of the decisions still holds, and answers how it is given back to the candidates: a record that is gone is
 * chosen no more, and a row that says something else is not edited.
 */
export async function returnDecisions(db: OrgDb, ask: Clients, bundleId: string): Promise<(tx: OrgTx) => Promise<void>> {
  const isAny = await db.first(sql`select 1 from import_decision where organization_id = ${db.organizationId} and bundle_id = ${bundleId} limit 1`);
  if (!isAny) return () => Promise.resolve();
  const waiting = await returning(db, bundleId);
  const gone: string[] = [];
  const chosen = new Map(waiting.flatMap(({ entityType, entityId }) => (entityId === null ? [] : [[entityId, entityType] as const])));
  for (const [entityId, entityType] of chosen) if (!(await isThere(db, ask, entityType, entityId))) gone.push(entityId);
  return async (tx) => {
    await tx.all(sql`update import_candidate o set decision = d.decision, chosen_entity_id = d.chosen_entity_id
      from import_decision d join (${told(tx, bundleId)}) c on c.entity_type = d.entity_type and c.identity = d.identity and c.nth = d.nth
      where d.organization_id = ${tx.organizationId} and d.bundle_id = ${bundleId} and d.decision is not null
        and (d.chosen_entity_id is null or d.chosen_entity_id <> all(${gone}::uuid[]))
        and o.organization_id = ${tx.organizationId} and o.id = c.id`);
    for (const { id, edits, isSame } of waiting) if (edits && isSame) await editCandidate(tx, bundleId, id, edits).catch(unlessRefused);
  };
}

async function isThere(db: OrgDb, ask: Clients, entityType: ImportEntityType, entityId: string): Promise<boolean> {
  try {
    await refuseUnknownRecord(db, ask, entityType, entityId);
    return true;
  } catch (error) {
    unlessRefused(error);
    return false;
  }
}

/** What is not possible any more is let go of. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
}

/** Nothing waits any more: all of it stands in the candidates. */
export const forgetDecisions = (tx: OrgTx, bundleId: string): Promise<unknown[]> =>
  tx.all(sql`delete from import_decision where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}`);
