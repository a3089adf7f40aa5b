/** Reevaluation of candidates after a manual decision, and of the candidates that depend on them. */
import { importEntityTypes, type ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { type CandidateRow, findCandidatesWhere } from "../validation/candidates.queries.ts";
import { evaluateCandidates, updateStatuses } from "../validation/evaluate-candidates.ts";
import { flagIncompleteShares } from "../validation/conflicts/ownership-shares.ts";
import { importDayOf } from "../validation/conflicts/lease-conflicts.ts";
import { isLeaseConflict } from "../validation/conflicts/existing-leases.ts";
import { type ResolvedCandidate, resolveReferences, saveReferences } from "../validation/references/resolve-references.ts";

export interface BundleRef {
  id: string;
  namespace: string;
}

const BATCH_SIZE = 1_000;
const POSITIONS_PER_STATEMENT = 50 * BATCH_SIZE;

/** Resolves the references of candidates of one type again and evaluates the candidates. Returns the ids of the leases that conflict with another one since. */
async function reevaluateType(tx: OrgTx, bundle: BundleRef, rows: readonly CandidateRow[]): Promise<string[]> {
  const resolved = (await resolveReferences(tx, bundle, rows, await importDayOf(tx, bundle.id))).map((candidate, index) =>
    withLeaseConflicts(candidate, rows[index]!),
  );
  await saveReferences(tx, bundle.id, resolved);
  const byId = new Map(resolved.map((candidate) => [candidate.id, candidate]));
  return evaluateCandidates(
    tx,
    bundle,
    rows.map((row) => ({ ...row, links: byId.get(row.id)!.links, linkErrors: byId.get(row.id)!.linkErrors })),
  );
}

/** Adds the conflicts with leases in Freehold that the validation found, unless the row was edited or refers to another lease or unit since. */
function withLeaseConflicts(candidate: ResolvedCandidate, { links, linkErrors, original }: CandidateRow): ResolvedCandidate {
  const isSame = original === null && ["lease", "unit"].every((name) => JSON.stringify(links[name]) === JSON.stringify(candidate.links[name]));
  return isSame ? { ...candidate, linkErrors: [...candidate.linkErrors, ...linkErrors.filter(isLeaseConflict)] } : candidate;
}

/**
 * Reevaluates candidates of several types in the order in which types are written, so that references find the reevaluated records. Returns their ids
 * and those of the leases that conflict with one of them.
 */
export async function reevaluateInOrder(tx: OrgTx, bundle: BundleRef, rows: readonly CandidateRow[]): Promise<string[]> {
  const ids = rows.map(({ id }) => id);
  for (const type of importEntityTypes) {
    const rowsOfType = rows.filter(({ entityType }) => entityType === type);
    for (let first = 0; first < rowsOfType.length; first += BATCH_SIZE)
      ids.push(...(await reevaluateType(tx, bundle, rowsOfType.slice(first, first + BATCH_SIZE))));
  }
  return ids;
}

/**
 * Reevaluates candidates, the leases of the tenants among them, because a lease of somebody else is another lease, their rows of occupants, because the
 * primary tenant is on the lease already, and the candidates that refer to one of these leases, because a new or cancelled lease may refuse their money. Returns the ids of all.
 */
export async function reevaluateWithMoney(tx: OrgTx, bundle: BundleRef, rows: readonly CandidateRow[]): Promise<string[]> {
  const ids = await reevaluateInOrder(tx, bundle, rows);
  const idsOf = (type: ImportEntityType) => rows.flatMap(({ id, entityType }) => (entityType === type ? [id] : []));
  const ofTenants = await reevaluateReferring(tx, bundle, idsOf("tenant"), ["lease", "occupant"]);
  return [...ids, ...ofTenants, ...(await reevaluateReferring(tx, bundle, [...idsOf("lease"), ...ofTenants]))];
}

/** Reevaluates the candidates with an unresolved reference to a record of this type, since an edit may have supplied it. Returns their ids. */
export async function reevaluateUnresolved(tx: OrgTx, bundle: BundleRef, entityType: ImportEntityType): Promise<string[]> {
  const reevaluated: string[] = [];
  const isUnresolved = sql`c.unresolved @> ${[entityType]} and c.unresolved <> '{}' and c.merged_into_id is null`;
  const { lastPosition } = (await tx.first(sql<{ lastPosition: number }>`select coalesce(max(c.position), 0) as last_position from import_candidate c
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and ${isUnresolved}`))!;
  for (const type of importEntityTypes)
    for (let start = 0; start < lastPosition; start += POSITIONS_PER_STATEMENT) {
      const isInWindow = sql`c.position > ${start} and c.position <= ${start + POSITIONS_PER_STATEMENT}`;
      const rows = await findCandidatesWhere(tx, bundle.id, sql`c.entity_type = ${type} and ${isUnresolved} and ${isInWindow}`);
      reevaluated.push(...(await reevaluateInOrder(tx, bundle, rows)));
    }
  return reevaluated;
}

/**
 * Reevaluates the candidates that refer to one of these, by default of every type, since their references may have been resolved by an edit that was
 * reverted. Returns their ids.
 */
export async function reevaluateReferring(
  tx: OrgTx,
  bundle: BundleRef,
  ids: readonly string[],
  types = importEntityTypes as readonly ImportEntityType[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await findCandidatesWhere(
    tx,
    bundle.id,
    sql`c.merged_into_id is null and c.entity_type = any(${[...types]}) and c.id in (select d.candidate_id from import_dependency d
      where d.organization_id = ${tx.organizationId} and d.depends_on_id = any(${[...ids]}::uuid[]))`,
  );
  return reevaluateInOrder(tx, bundle, rows);
}

/** Updates the statuses of these candidates and of all that depend on them, in the order in which types are written. */
export async function updateDependentStatuses(tx: OrgTx, bundleId: string, ids: readonly string[]): Promise<void> {
  const affected = await tx.all(sql<{ id: string; entityType: ImportEntityType }>`with recursive affected (id) as (
      select unnest(${[...ids]}::uuid[])
      union select d.candidate_id from import_dependency d join affected on d.organization_id = ${tx.organizationId} and d.depends_on_id = affected.id)
    select c.id, c.entity_type from affected join import_candidate c on c.organization_id = ${tx.organizationId} and c.id = affected.id`);
  for (const type of importEntityTypes) {
    const idsOfType = affected.flatMap(({ id, entityType }) => (entityType === type ? [id] : []));
    await updateStatuses(tx, bundleId, idsOfType);
    if (idsOfType.length > 0 && type === "ownership") await flagIncompleteShares(tx, bundleId);
  }
}
