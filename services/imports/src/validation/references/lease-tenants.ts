/** Tenants of lease rows. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "../candidates.queries.ts";

/** Returns the tenants of lease rows by row id, null for a new person. A row whose tenant needs a decision is left out. */
export async function findTenantsOfLeases(
  db: StatementRunner,
  rows: readonly Pick<CandidateRow, "id" | "entityType" | "links">[],
): Promise<Map<string, string | null>> {
  const linked = rows.flatMap(({ id, entityType, links: { tenant } }) => (entityType === "lease" && tenant ? [{ id, tenant }] : []));
  const candidateIds = linked.flatMap(({ tenant }) => ("candidateId" in tenant ? [tenant.candidateId] : []));
  const people = candidateIds.length === 0 ? [] : await listDeterminedPeople(db, candidateIds);
  const entityIds = new Map(people.map(({ id, entityId }) => [id, entityId]));
  return new Map(
    linked.flatMap(({ id, tenant }): [string, string | null][] => {
      const entityId = "entityId" in tenant ? tenant.entityId : entityIds.get(tenant.candidateId);
      return entityId === undefined ? [] : [[id, entityId]];
    }),
  );
}

const listDeterminedPeople = (db: StatementRunner, candidateIds: readonly string[]) =>
  db.all(sql<{ id: string; entityId: string | null }>`select id, chosen_entity_id as entity_id from import_candidate
    where organization_id = ${db.organizationId} and id = any(${[...new Set(candidateIds)]}::uuid[])
      and (chosen_entity_id is not null or verdict = 'ready_create')`);
