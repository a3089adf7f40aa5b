/** Occupants, deposits and balances that earlier imports wrote for the tenancies of rows under another first day, or under ids without one. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { deriveSourceId } from "../entity.rules.ts";
import { findChosenRecords, type KnownIdentity, recordOf } from "../find-matches.ts";
import { coTenantNames, isPrimaryTenant, isSameHousehold } from "./household.rules.ts";
import { mayBeOneTenancy } from "./lease-of-tenancy.rules.ts";
import { withReferencesOf } from "./posted-on-leases.ts";
import { isOfTenancy, parseTenancySourceId } from "./tenancy-id.rules.ts";

interface Bundle {
  id: string;
  namespace: string;
}

interface TenancyRecord extends KnownIdentity {
  leaseId: string | null;
  /** Fields of the lease as the bundle or an earlier import has them. */
  lease: FieldValues | null;
}

/** Returns the records with these keys under which the bundle has no row. */
const findRecords = (db: StatementRunner, bundle: Bundle, entityType: ImportEntityType, keys: readonly string[]) =>
  db.all(sql<TenancyRecord>`select i.source_id, i.entity_id, i.data, i.lease_id, lease.data as lease from import_identity i
    left join lateral (select coalesce(c.data, l.data) as data from import_identity l left join import_candidate c on c.organization_id = l.organization_id
        and c.bundle_id = ${bundle.id} and c.entity_type = 'lease' and c.source_id = l.source_id and c.merged_into_id is null
      where l.organization_id = i.organization_id and l.entity_type = 'lease' and l.entity_id = i.lease_id and l.namespace = ${bundle.namespace}
      order by c.id is null, l.updated_at desc limit 1) lease on true
    where i.organization_id = ${db.organizationId} and i.namespace = ${bundle.namespace} and i.entity_type = ${entityType} and not i.is_deleted
      and (i.source_id = any(${[...keys]}) or left(i.source_id, -11) = any(${[...keys]}))
      and not exists (select from import_candidate c where c.organization_id = i.organization_id and c.bundle_id = ${bundle.id} and c.entity_type = i.entity_type
        and c.source_id = i.source_id)
    order by i.created_at, i.source_id`);

/** Returns the leases of rows by row id: the record, if it exists, and the fields. */
async function findLeases(db: StatementRunner, bundle: Bundle, rows: readonly CandidateRow[]) {
  const chosenRecords = await findChosenRecords(db, rows);
  const links = rows.flatMap(({ id, links: { lease } }) => (lease ? [{ id, lease }] : []));
  const [candidateIds, entityIds] = [
    links.flatMap(({ lease }) => ("candidateId" in lease ? [lease.candidateId] : [])),
    links.flatMap(({ lease }) => ("entityId" in lease ? [lease.entityId] : [])),
  ];
  const leases = await db.all(sql<{ id: string; data: FieldValues }>`select id, data from import_candidate
      where organization_id = ${db.organizationId} and id = any(${candidateIds}::uuid[])
    union all select entity_id, data from import_identity
      where organization_id = ${db.organizationId} and namespace = ${bundle.namespace} and entity_type = 'lease' and entity_id = any(${entityIds}::uuid[])`);
  const dataById = new Map(leases.map(({ id, data }) => [id, data]));
  return new Map(
    links.map(({ id, lease }) => [
      id,
      { entityId: recordOf(lease, chosenRecords), data: dataById.get("candidateId" in lease ? lease.candidateId : lease.entityId) ?? {} },
    ]),
  );
}

/** Returns the keys that the money of a primary tenant has when another person of the lease comes first. */
const keysOfOtherTenants = ({ entityType, data }: CandidateRow, lease: FieldValues): string[] =>
  entityType !== "occupant" && isPrimaryTenant(data["tenant_name"], lease)
    ? coTenantNames(lease).map((name) => deriveSourceId(entityType, { ...data, tenant_name: name }))
    : [];

/**
 * Returns, by candidate, the record that an earlier import wrote for the tenancy of a row without an id: that of the same lease and, for a deposit or a
 * balance, that of a lease which the lease of the row continues. `rows` have one type and no record of their own.
 */
export async function findKnownTenancies(db: StatementRunner, bundle: Bundle, rows: readonly CandidateRow[]): Promise<Map<string, KnownIdentity>> {
  const derived = rows.filter(({ entityType, isDerived, data, links }) => isOfTenancy(entityType) && isDerived && !data["lease_source_id"] && links["lease"]);
  if (derived.length === 0) return new Map();
  const { entityType } = derived[0]!;
  const keyOf = ({ sourceId }: { sourceId: string }) => parseTenancySourceId(sourceId).key;
  const leases = await findLeases(db, bundle, derived);
  const keysByRow = new Map(derived.map((row) => [row, [keyOf(row), ...keysOfOtherTenants(row, leases.get(row.id)!.data)]]));
  const records = await findRecords(db, bundle, entityType, [...new Set([...keysByRow.values()].flat())]);
  if (records.length === 0) return new Map();
  const left = new Set(records);
  const found = new Map<string, KnownIdentity>();
  for (const isSameLease of [true, false])
    for (const row of derived) {
      const lease = leases.get(row.id)!;
      const isOfRow = (record: TenancyRecord) =>
        isSameLease
          ? record.leaseId !== null && record.leaseId === lease.entityId
          : record.leaseId === null || (entityType !== "occupant" && mayBeOneTenancy(record.lease ?? {}, lease.data));
      const isOfHousehold = (record: TenancyRecord) =>
        keyOf(record) === keyOf(row) || (keysByRow.get(row)!.includes(keyOf(record)) && (isSameLease || isSameHousehold(record.lease ?? {}, lease.data)));
      const record = found.has(row.id) ? undefined : [...left].find((each) => isOfHousehold(each) && isOfRow(each));
      if (!record) continue;
      left.delete(record);
      found.set(row.id, { ...record, data: entityType === "occupant" ? record.data : withReferencesOf(row.data, record.data) });
    }
  return found;
}
