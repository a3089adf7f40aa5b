/** Leases of couples and groups whose names come in another order in the next term. */
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { batchLoader } from "@freehold/kit/rpc/loader";
import type { FieldValues } from "../validation/draft.ts";
import { coTenantNames, isSameHousehold } from "../validation/tenancies/household.rules.ts";

/** Leases that a new one may continue: by their tenants, and those of earlier imports by their ids. */
export interface ContinuedLeases {
  tenantIds: string[];
  leaseIds: string[];
}

interface OtherLease {
  id: string;
  data: FieldValues;
  otherData: FieldValues;
  otherId: string | null;
}

/** Returns the other leases of the units of leases in the bundle, with the records of their tenants. */
const listOfUnits = (db: StatementRunner, bundleId: string, ids: readonly string[]) =>
  db.all(sql<OtherLease>`select c.id, c.data, other.data as other_data, coalesce((other.links -> 'tenant' ->> 'entityId')::uuid,
      (select coalesce(t.result_entity_id, t.chosen_entity_id) from import_candidate t
        where t.organization_id = other.organization_id and t.id = (other.links -> 'tenant' ->> 'candidateId')::uuid)) as other_id
    from import_candidate c join import_candidate other on other.organization_id = c.organization_id and other.bundle_id = c.bundle_id
      and other.entity_type = c.entity_type and other.name_key = c.name_key and other.id <> c.id
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.id = any(${[...ids]}::uuid[])`);

/** Returns the leases of earlier imports whose tenant is a co-tenant of one of these leases. */
const listEarlier = (db: StatementRunner, { id, namespace }: { id: string; namespace: string }, leases: readonly { id: string; data: FieldValues }[]) => {
  const people = leases.flatMap((lease) => coTenantNames(lease.data).map((name) => ({ id: lease.id, name })));
  return db.all(sql<OtherLease>`select c.id, c.data, i.data as other_data, i.entity_id as other_id
    from import_identity i cross join lateral (values (i.data ->> 'primary_tenant_name'), (i.data ->> 'primary_tenant_source_id')) as tenant (name)
    join unnest(${people.map((each) => each.id)}::uuid[], ${people.map(({ name }) => name)}::text[]) as person (id, name) on person.name = tenant.name
    join import_candidate c on c.organization_id = ${db.organizationId} and c.bundle_id = ${id} and c.id = person.id
    where i.organization_id = ${db.organizationId} and i.namespace = ${namespace} and i.entity_type = 'lease' and not i.is_deleted and i.bundle_id <> ${id}`);
};

/** Returns a lookup of the leases that a new lease may continue. Leases that are looked up at once share the queries, and are written at once. */
export function continuedLeasesLookup(
  db: OrgDb,
  bundle: { id: string; namespace: string },
): (lease: { id: string; data: FieldValues }) => Promise<ContinuedLeases> {
  const load = batchLoader(async (caller, leases: readonly { id: string; data: FieldValues }[]) => {
    const withCoTenants = leases.filter(({ data }) => coTenantNames(data).length > 0);
    const ids = withCoTenants.map(({ id }) => id);
    const [ofUnits, earlier] = ids.length === 0 ? [[], []] : [await listOfUnits(caller, bundle.id, ids), await listEarlier(caller, bundle, withCoTenants)];
    const idsOf = (others: readonly OtherLease[], id: string) => [
      ...new Set(others.flatMap((other) => (other.id === id && other.otherId !== null && isSameHousehold(other.data, other.otherData) ? [other.otherId] : []))),
    ];
    return leases.map(({ id }): ContinuedLeases => ({ tenantIds: idsOf(ofUnits, id), leaseIds: idsOf(earlier, id) }));
  });
  return (lease) => load(db, lease);
}
