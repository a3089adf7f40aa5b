/** Payments of people who are not on the lease, which the ledger would refuse. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow, Links } from "../candidates.queries.ts";

interface LeaseOfPayment {
  id: string;
  tenant: Links[string] | null;
  /** Ids of the tenants and occupants of the lease in Freehold, separated by spaces; null for a new lease. */
  tenants: string | null;
  /** Tenants of the rows of occupants. */
  occupants: Links[string][];
}

/** Returns the error of each new payment, by id, whose payer is neither the tenant nor an occupant of its lease in the bundle. */
export async function findStrangers(tx: OrgTx, rows: readonly CandidateRow[]): Promise<Map<string, FieldError>> {
  const payments = rows.flatMap(({ id, entityType, refs, links: { lease, tenant } }) =>
    entityType === "payment" && lease && "candidateId" in lease && tenant ? [{ id, refs, leaseId: lease.candidateId, tenant }] : [],
  );
  if (payments.length === 0) return new Map();
  const leases = new Map((await listLeases(tx, [...new Set(payments.map(({ leaseId }) => leaseId))])).map((lease) => [lease.id, lease]));
  const links = [
    ...payments.map(({ tenant }) => tenant),
    ...[...leases.values()].flatMap(({ tenant, occupants }) => [...(tenant ? [tenant] : []), ...occupants]),
  ];
  const recordIdOf = await findRecordIds(tx, links);
  const isSame = (one: Links[string], other: Links[string]) => JSON.stringify(one) === JSON.stringify(other) || recordIdOf(one) === recordIdOf(other);
  return new Map(
    payments.flatMap(({ id, refs, leaseId, tenant }): [string, FieldError][] => {
      const lease = leases.get(leaseId);
      if (!lease?.tenant) return [];
      const isOnLease = [lease.tenant, ...lease.occupants].some((person) => isSame(person, tenant));
      if (isOnLease || lease.tenants?.split(" ").includes(recordIdOf(tenant))) return [];
      return [[id, strangerError(refs.find(({ name }) => name === "tenant")?.path ?? "tenant_source_id")]];
    }),
  );
}

const listLeases = (tx: OrgTx, ids: readonly string[]) =>
  tx.all(sql<LeaseOfPayment>`select lease.id, lease.links -> 'tenant' as tenant,
      (select m.match -> 'fields' ->> 'tenants' from jsonb_array_elements(lease.matches) m (match)
        where m.match ->> 'entityId' = lease.chosen_entity_id::text limit 1) as tenants,
      coalesce((select jsonb_agg(o.links -> 'tenant') from import_dependency d join import_candidate o on o.organization_id = d.organization_id and o.id = d.candidate_id
        where d.organization_id = lease.organization_id and d.depends_on_id = lease.id and o.entity_type = 'occupant' and o.links ? 'tenant'
          and o.decision is distinct from 'exclude'), '[]') as occupants
    from import_candidate lease where lease.organization_id = ${tx.organizationId} and lease.id = any(${[...ids]}::uuid[])`);

/** Returns a function that finds the record to which a link leads, or the id of the candidate that becomes one. */
async function findRecordIds(tx: OrgTx, links: readonly Links[string][]): Promise<(link: Links[string]) => string> {
  const ids = [...new Set(links.flatMap((link) => ("candidateId" in link ? [link.candidateId] : [])))];
  const people = await tx.all(sql<{ id: string; recordId: string }>`select id, coalesce(chosen_entity_id, merged_into_id, id) as record_id from import_candidate
    where organization_id = ${tx.organizationId} and id = any(${ids}::uuid[])`);
  const recordIds = new Map(people.map(({ id, recordId }) => [id, recordId]));
  return (link) => ("entityId" in link ? link.entityId : (recordIds.get(link.candidateId) ?? link.candidateId));
}

const strangerError = (path: string): FieldError => ({
  path,
  code: "mismatch",
  message:
    "The payer is not on the lease, on which its primary tenant and its co-tenants pay. Name one of them, add the person to the lease as a co-tenant, " +
    `or clear ${path} to record the payment of the primary tenant.`,
});
