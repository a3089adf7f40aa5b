/** People who are on a lease already: its primary tenant, whose row of an occupant adds nobody, and an occupant whom an earlier import knew by name only. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "../candidates.queries.ts";
import { deriveSourceId } from "../entity.rules.ts";
import { findIdentities, type KnownIdentity } from "../find-matches.ts";

/** Returns, by candidate, the identities of occupants that an earlier import wrote by the name of the tenant instead of the id. */
export async function findOccupantsByName(tx: OrgTx, namespace: string, rows: readonly CandidateRow[]): Promise<Map<string, KnownIdentity>> {
  const named = rows.flatMap(({ id, entityType, data: { lease_source_id, tenant_source_id, tenant_name } }) =>
    entityType === "occupant" && lease_source_id !== undefined && tenant_source_id !== undefined && tenant_name !== undefined
      ? [{ id, sourceId: deriveSourceId("occupant", { lease_source_id, tenant_name }, 0) }]
      : [],
  );
  if (named.length === 0) return new Map();
  const sourceIds = named.map(({ sourceId }) => sourceId);
  const identities = await findIdentities(tx, namespace, "occupant", sourceIds);
  return new Map(
    named.flatMap(({ id, sourceId }): [string, KnownIdentity][] => {
      const identity = identities.get(sourceId);
      return identity ? [[id, identity]] : [];
    }),
  );
}

/** Returns the ids of the occupants who are the primary tenants of their leases: by the tenant of the lease in the bundle, or by the name in the earlier import of the lease. */
export async function findPrimaryTenants(tx: OrgTx, { namespace }: { namespace: string }, rows: readonly CandidateRow[]): Promise<Set<string>> {
  const ids = rows.flatMap(({ id, entityType }) => (entityType === "occupant" ? [id] : []));
  if (ids.length === 0) return new Set();
  const primary = await tx.all(sql<{
    id: string;
  }>`select o.id from import_candidate o where o.organization_id = ${tx.organizationId} and o.id = any(${ids}::uuid[])
    and (exists (select from import_candidate lease where lease.organization_id = o.organization_id
        and lease.id = (o.links -> 'lease' ->> 'candidateId')::uuid and lease.links -> 'tenant' = o.links -> 'tenant')
      or exists (select from import_identity lease where lease.organization_id = o.organization_id and lease.namespace = ${namespace} and lease.entity_type = 'lease'
        and lease.entity_id = (o.links -> 'lease' ->> 'entityId')::uuid and lower(lease.data ->> 'primary_tenant_name') = lower(o.data ->> 'tenant_name')))`);
  return new Set(primary.map(({ id }) => id));
}
