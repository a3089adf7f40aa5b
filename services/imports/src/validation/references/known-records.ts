/** Records that earlier imports of a namespace wrote for the rows of a bundle, whatever the ids of the rows were then. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "../candidates.queries.ts";
import { findIdentities, type KnownIdentity } from "../find-matches.ts";
import type { Match } from "../match.rules.ts";
import { findEqualRecords, findSubjects } from "../source-ids/equal-records.ts";
import { withPlaceOf } from "../source-ids/equal-records.rules.ts";
import { findKnownTenancies } from "../tenancies/known-tenancies.ts";
import { findPostedOnLeases } from "../tenancies/posted-on-leases.ts";
import { findOrphans } from "./deleted-records.ts";
import { findPropertiesByName, findTenantsOfUnits, withIdsOf } from "./earlier-records.ts";
import { findOccupantsByName } from "./people-on-leases.ts";

export interface KnownRecords {
  identityOf: (row: CandidateRow) => KnownIdentity | undefined;
  /** Records of the rows whose records went with a deleted one: a lease of a deleted unit is still known by its id. */
  formerRecords: ReadonlyMap<string, string | undefined>;
  /** Posted records that rows may be, by row id: rows that differ from them in one value only. */
  possibleDuplicates: ReadonlyMap<string, Match[]>;
}

/** Finds the records of rows of one type: by source id, by the ids of the rows merged into them, and by names. */
export async function findKnownRecords(
  tx: OrgTx,
  bundle: { id: string; namespace: string },
  rows: readonly CandidateRow[],
  day: string,
): Promise<KnownRecords> {
  const { entityType } = rows[0]!;
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const identities = await findIdentities(tx, bundle.namespace, entityType, sourceIds);
  const orphans = identities.size > 0 ? await findOrphans(tx, bundle, rows, day) : new Set();
  const formerRecords = new Map(rows.filter(({ id }) => orphans.has(id)).map(({ id, sourceId }) => [id, identities.get(sourceId)?.entityId]));
  for (const { id, sourceId } of rows) if (orphans.has(id)) identities.delete(sourceId);
  const unknown = rows.filter(({ sourceId }) => !identities.has(sourceId));
  const unnamed = unknown.filter(({ isDerived }) => entityType === "property" && isDerived);
  const subjects = await findSubjects(tx, rows);
  const equal = await findEqualRecords(tx, bundle, unknown, subjects);
  const found = new Map([
    ...equal.identities,
    ...(await findPropertiesByName(tx, bundle.namespace, unnamed)),
    ...(await findOccupantsByName(tx, bundle.namespace, unknown)),
    ...(await findTenantsOfUnits(tx, bundle, unknown)),
    ...(await findKnownTenancies(tx, bundle, unknown)),
    ...(await findByMergedRows(tx, bundle.namespace, unknown)),
    ...(await findPostedOnLeases(tx, bundle, unknown)),
  ]);
  const identityOf = ({ id, sourceId, data }: CandidateRow): KnownIdentity | undefined => {
    const identity = identities.get(sourceId);
    const isOfSubject = identity?.subjectId !== undefined && identity.subjectId !== null && identity.subjectId === subjects.get(id);
    return identity && isOfSubject ? { ...identity, data: withPlaceOf(data, identity.data) } : (identity ?? found.get(id));
  };
  return { identityOf, formerRecords, possibleDuplicates: equal.possibleDuplicates };
}

/** Returns the identities of the rows that were merged into candidates, by candidate id, unless they denote several records. */
async function findByMergedRows(db: StatementRunner, namespace: string, rows: readonly CandidateRow[]): Promise<Map<string, KnownIdentity>> {
  if (rows.length === 0) return new Map();
  const merged = await db.all(sql<
    KnownIdentity & { id: string }
  >`select target.id, i.source_id, i.entity_id, i.data from unnest(${rows.map(({ id }) => id)}::uuid[]) as target (id)
    cross join lateral (select d.entity_type, d.source_id from import_candidate d
      where d.organization_id = ${db.organizationId} and d.merged_into_id = target.id offset 0) d
    join import_identity i on i.organization_id = ${db.organizationId} and i.namespace = ${namespace} and i.entity_type = d.entity_type and i.source_id = d.source_id and not i.is_deleted`);
  const byCandidate = Map.groupBy(merged, ({ id }) => id);
  return new Map(
    rows.flatMap(({ id, data }): [string, KnownIdentity][] => {
      const [first, ...others] = byCandidate.get(id) ?? [];
      if (!first || others.some(({ entityId }) => entityId !== first.entityId)) return [];
      return [[id, { sourceId: first.sourceId, entityId: first.entityId, data: withIdsOf(data, first.data) }]];
    }),
  );
}

/** Returns those records of a type that rows of the bundle represent by their source ids: their rows say what becomes of them. */
export async function findRepresented(
  db: StatementRunner,
  bundle: { id: string; namespace: string },
  entityType: ImportEntityType,
  entityIds: readonly string[],
): Promise<Set<string>> {
  if (entityIds.length === 0) return new Set();
  const rows = await db.all(sql<{ entityId: string }>`select i.entity_id from import_identity i
      join import_candidate c on c.organization_id = i.organization_id and c.bundle_id = ${bundle.id} and c.entity_type = i.entity_type and c.source_id = i.source_id
    where i.organization_id = ${db.organizationId} and i.entity_type = ${entityType} and i.entity_id = any(${[...entityIds]}::uuid[])
      and i.namespace = ${bundle.namespace} and c.decision is distinct from 'exclude'`);
  return new Set(rows.map(({ entityId }) => entityId));
}
