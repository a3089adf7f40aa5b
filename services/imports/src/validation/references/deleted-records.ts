/** Records that were deleted after an earlier import had written them. Their rows create records again, and no reference leads to them. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { findIdentities } from "../find-matches.ts";
import { isReadByPortfolio } from "../match.rules.ts";
import { isOver } from "./lease-state.rules.ts";
import { type ResolvedCandidate, resolveReferences } from "./resolve-references.ts";

interface Bundle {
  id: string;
  namespace: string;
}

/**
 * Resolves the references of candidates of one type to records that exist. The identities of deleted records that the candidates or their
 * references have are marked as deleted. Calls portfolio, so it must not run in a transaction.
 */
export async function resolveExistingReferences(
  db: OrgDb,
  clients: Clients,
  bundle: Bundle,
  rows: readonly CandidateRow[],
  day: string,
): Promise<ResolvedCandidate[]> {
  const [first] = rows;
  if (!first) return [];
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const identities = await findIdentities(db, bundle.namespace, first.entityType, sourceIds);
  await markDeletedRecords(
    db,
    clients,
    first.entityType,
    [...identities.values()].map(({ entityId }) => entityId),
  );
  for (;;) {
    const resolved = await resolveReferences(db, bundle, rows, day);
    // Names of references are types; those of types that portfolio does not match are not checked.
    const links = resolved.flatMap((candidate) => Object.entries(candidate.links) as [ImportEntityType, CandidateRow["links"][string]][]);
    const idsByType = Map.groupBy(
      links.flatMap(([type, link]) => ("entityId" in link ? [{ type, entityId: link.entityId }] : [])),
      ({ type }) => type,
    );
    let deletedCount = 0;
    for (const [type, targets] of idsByType)
      deletedCount += await markDeletedRecords(
        db,
        clients,
        type,
        targets.map(({ entityId }) => entityId),
      );
    if (deletedCount === 0) return resolved;
  }
}

/** Marks the identities of the records of a type that portfolio no longer has as deleted. Returns the number of these records. */
async function markDeletedRecords(db: OrgDb, clients: Clients, entityType: ImportEntityType, entityIds: readonly string[]): Promise<number> {
  const ids = [...new Set(entityIds)];
  if (!isReadByPortfolio(entityType) || ids.length === 0) return 0;
  const { matches } = await clients.portfolio.findMatches(db, { kind: entityType, criteria: ids.map((id) => ({ key: id, id })) });
  const existingIds = new Set(matches.map(({ id }) => id));
  const deletedIds = ids.filter((id) => !existingIds.has(id));
  if (deletedIds.length > 0)
    await db.all(sql`update import_identity set is_deleted = true, updated_at = now()
      where organization_id = ${db.organizationId} and entity_type = ${entityType} and entity_id = any(${deletedIds}::uuid[]) and not is_deleted`);
  return deletedIds.length;
}

/** Reference of each type without which its record does not exist. Money stays in the books, so charges and payments are not among them. */
const ownerReferences: Partial<Record<ImportEntityType, string>> = {
  lease: "unit",
  occupant: "lease",
  recurring_charge: "lease",
  ownership: "property",
  work_order: "property",
};

/**
 * Returns the ids of the candidates of one type whose records went with a deleted unit, lease or property, which the bundle creates again. Recurring
 * charges of a lease that is over on the day of the import are not among them, because such a lease has none.
 */
export async function findOrphans(db: StatementRunner, bundle: Bundle, rows: readonly CandidateRow[], day: string): Promise<Set<string>> {
  const { entityType } = rows[0] ?? {};
  const reference = entityType && ownerReferences[entityType];
  if (!reference) return new Set();
  const orphans = await db.all(sql<{ id: string; owner: FieldValues }>`select c.id, owner.data as owner from import_candidate c
    join import_candidate owner on owner.organization_id = c.organization_id and owner.id = (c.links -> ${reference}::text ->> 'candidateId')::uuid
      and owner.verdict = 'ready_create' and owner.decision is null
    join import_identity former on former.organization_id = owner.organization_id and former.namespace = ${bundle.namespace}
      and former.entity_type = owner.entity_type and former.source_id = owner.source_id
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundle.id} and c.id = any(${rows.map(({ id }) => id)}::uuid[])`);
  return new Set(orphans.filter(({ owner }) => entityType !== "recurring_charge" || !isOver(owner, day)).map(({ id }) => id));
}
