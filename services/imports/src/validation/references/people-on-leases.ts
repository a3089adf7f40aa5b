/** People who are on a lease already: its primary tenant, whose row of an occupant adds nobody, and an occupant whom an earlier import knew by name only. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { deriveSourceId } from "../entity.rules.ts";
import { findIdentities, type KnownIdentity } from "../find-matches.ts";

/** Returns, by candidate, the identities of occupants that an earlier import wrote by the name of the tenant instead of the id. */
export async function findOccupantsByName(tx: OrgTx, namespace: string, rows: readonly CandidateRow[]): Promise<Map<string, KnownIdentity>> {
  const named = rows.flatMap(({ id, entityType, data: { lease_source_id, tenant_source_id, tenant_name } }) =>
    entityType === "occupant" && lease_source_id !== undefined && tenant_source_id !== undefined && tenant_name !== undefined
      ? [{ id, sourceId: deriveSourceId("occupant", { lease_source_id, tenant_name }) }]
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

/** Record to which the link of a candidate leads, if it exists. */
const recordOfLink = (link: RawBuilder<unknown>, organizationId: string) => sql`coalesce((${link} ->> 'entityId')::uuid, (select target.chosen_entity_id
  from import_candidate target where target.organization_id = ${organizationId} and target.id = (${link} ->> 'candidateId')::uuid))`;

/** Returns the ids of the occupants who are the primary tenants of their leases: in the bundle, in Freehold, or in the earlier import of the lease. */
export async function findPrimaryTenants(tx: OrgTx, { namespace }: { namespace: string }, rows: readonly CandidateRow[]): Promise<Set<string>> {
  const ids = rows.flatMap(({ id, entityType }) => (entityType === "occupant" ? [id] : []));
  if (ids.length === 0) return new Set();
  const primary = await tx.all(sql<{
    id: string;
  }>`select o.id from import_candidate o join import_candidate lease on lease.organization_id = o.organization_id
      and lease.id = (o.links -> 'lease' ->> 'candidateId')::uuid
    where o.organization_id = ${tx.organizationId} and o.id = any(${ids}::uuid[]) and (lease.links -> 'tenant' = o.links -> 'tenant'
      or ${recordOfLink(sql`lease.links -> 'tenant'`, tx.organizationId)} = ${recordOfLink(sql`o.links -> 'tenant'`, tx.organizationId)}
      or exists (select from jsonb_array_elements(lease.matches) match where match ->> 'entityId' = lease.chosen_entity_id::text
        and match -> 'fields' ->> 'tenant' = ${recordOfLink(sql`o.links -> 'tenant'`, tx.organizationId)}::text))`);
  return new Set([...primary.map(({ id }) => id), ...(await findPrimaryTenantsOfEarlierLeases(tx, namespace, ids))]);
}

interface EarlierOccupant {
  id: string;
  lease: FieldValues;
  tenantId: string | null;
  isNewPerson: boolean;
}

/** Returns the ids of the occupants with the name of the primary tenant of an earlier lease, without those who are other people than this tenant. */
async function findPrimaryTenantsOfEarlierLeases(tx: OrgTx, namespace: string, ids: readonly string[]): Promise<string[]> {
  const namesakes =
    await tx.all(sql<EarlierOccupant>`select o.id, lease.data as lease, ${recordOfLink(sql`o.links -> 'tenant'`, tx.organizationId)} as tenant_id,
      exists (select from import_candidate person where person.organization_id = o.organization_id and person.id = (o.links -> 'tenant' ->> 'candidateId')::uuid
        and person.verdict = 'ready_create') as is_new_person
    from import_candidate o join import_identity lease on lease.organization_id = o.organization_id and lease.namespace = ${namespace} and lease.entity_type = 'lease'
      and lease.entity_id = (o.links -> 'lease' ->> 'entityId')::uuid and lower(lease.data ->> 'primary_tenant_name') = lower(o.data ->> 'tenant_name')
    where o.organization_id = ${tx.organizationId} and o.id = any(${[...ids]}::uuid[])`);
  const tenants = await findIdentities(tx, namespace, "tenant", [...new Set(namesakes.map(({ lease }) => tenantSourceIdOf(lease)))]);
  const isTenant = ({ lease, tenantId, isNewPerson }: EarlierOccupant) => {
    const tenant = tenants.get(tenantSourceIdOf(lease));
    return tenant === undefined || (tenantId === null ? !isNewPerson : tenantId === tenant.entityId);
  };
  return namesakes.filter(isTenant).map(({ id }) => id);
}

/** Returns the source id of the primary tenant in the row of a lease, which is derived when the row has the name only. */
const tenantSourceIdOf = ({ primary_tenant_source_id, primary_tenant_name, property_name, unit_number }: FieldValues): string =>
  primary_tenant_source_id ?? deriveSourceId("tenant", omitUndefined({ full_name: primary_tenant_name, property_name, unit_number }));
