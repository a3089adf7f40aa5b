/** Records that earlier imports of a namespace wrote, found by name, e-mail address, or number and property. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { CandidateReference, FieldValues } from "../draft.ts";
import { entityName, nameKeyOf } from "../entity.rules.ts";
import type { CandidateRow } from "../candidates.queries.ts";
import { findChosenRecords, type KnownIdentity, recordOf } from "../find-matches.ts";
import { leasesOfRow, mayHaveTenant } from "./lease-of-row.rules.ts";

interface EarlierRecord {
  entityId: string;
  data: FieldValues;
  /** Normalized name or number by which rows refer to the record, and street of a property. */
  names: readonly string[];
}

/** Reference that nothing in the bundle resolves. */
export interface OpenReference {
  ref: CandidateReference;
  /** Type of the row with the reference. */
  entityType: ImportEntityType;
  /** Fields of the row with the reference. */
  data: FieldValues;
  /** Record of the property to which the row refers, if an earlier import wrote it. */
  propertyId: string | undefined;
  /** Record of the unit to which the row refers, if an earlier import wrote it. */
  unitId?: string | undefined;
}

/** Field of each type that contains the name or number by which rows refer to a record. */
const referenceNames: Partial<Record<ImportEntityType, string>> = {
  property: "name",
  owner: "full_name",
  vendor: "name",
  tenant: "full_name",
  unit: "unit_number",
  lease: "unit_number",
};

/** Returns the identities of properties without a source id of their own, which an earlier import may have written with one: by name, by candidate id. */
export async function findPropertiesByName(db: StatementRunner, namespace: string, candidates: readonly CandidateRow[]): Promise<Map<string, KnownIdentity>> {
  if (candidates.length === 0) return new Map();
  const refs = candidates.map(({ data }): CandidateReference => ({
    name: "property",
    entityType: "property",
    path: "name",
    text: entityName(data),
    isRequired: true,
  }));
  const records = await listRecords(db, namespace, "property", refs);
  return new Map(
    candidates.flatMap(({ id, sourceId }, index): [string, KnownIdentity][] => {
      const name = normalizeForMatching(refs[index]!.text ?? "");
      const fitting = records.filter((record) => fitsReference(record, undefined, name));
      return new Set(fitting.map(({ entityId }) => entityId)).size === 1 ? [[id, { sourceId, ...fitting[0]! }]] : [];
    }),
  );
}

/**
 * Returns the identities of tenants whom an earlier import wrote with another source id, or without one, by their names in the same unit, by candidate
 * id. Somebody with an id of their own is not a tenant with another id, nor one of two namesakes of the unit.
 */
export async function findTenantsOfUnits(
  tx: StatementRunner,
  bundle: { id: string; namespace: string },
  rows: readonly CandidateRow[],
): Promise<Map<string, KnownIdentity>> {
  const inUnits = rows.filter(({ entityType, data }) => entityType === "tenant" && data["unit_number"] !== undefined && entityName(data) !== "");
  if (inUnits.length === 0) return new Map();
  const refs = inUnits.map(({ data }): CandidateReference => ({
    name: "tenant",
    entityType: "tenant",
    path: "full_name",
    text: entityName(data),
    isRequired: true,
  }));
  const records = await listRecords(tx, bundle.namespace, "tenant", refs);
  if (records.length === 0) return new Map();
  const chosenRecords = await findChosenRecords(tx, inUnits);
  const [ownIds, namesakes, propertyIdOf] = [
    await findWithOwnIds(tx, bundle.namespace, records),
    await findNamesakes(tx, bundle.id, inUnits),
    await findProperties(tx, bundle.namespace, records),
  ];
  return new Map(
    inUnits.flatMap(({ id, sourceId, isDerived, data, links }, index): [string, KnownIdentity][] => {
      const name = normalizeForMatching(refs[index]!.text!);
      const row = { ref: refs[index]!, entityType: "tenant" as const, data, propertyId: recordOf(links["property"], chosenRecords) };
      const fitting = records.filter(
        (record) =>
          fitsReference(record, undefined, name) &&
          normalizeForMatching(record.data["unit_number"] ?? "") === normalizeForMatching(data["unit_number"]!) &&
          isOfProperty(record.data, propertyIdOf(record), row) &&
          (isDerived || !ownIds.has(record.entityId)),
      );
      const isOnly = !namesakes.has(id) && new Set(fitting.map(({ entityId }) => entityId)).size === 1;
      return isOnly ? [[id, { sourceId, entityId: fitting[0]!.entityId, data: withIdsOf(data, fitting[0]!.data) }]] : [];
    }),
  );
}

/** Returns the fields of a record with the ids and names of a row, which denote the same record and unit in another way. */
export const withIdsOf = (row: FieldValues, record: FieldValues): FieldValues => ({
  ...record,
  ...Object.fromEntries(Object.entries(row).filter(([field]) => field.endsWith("source_id") || field === "property_name" || field === "unit_number")),
});

/** Returns those records that a row with an id of its own denotes. */
async function findWithOwnIds(db: StatementRunner, namespace: string, records: readonly EarlierRecord[]): Promise<Set<string>> {
  const rows = await db.all(sql<{ entityId: string }>`select distinct entity_id from import_identity where organization_id = ${db.organizationId}
    and entity_type = 'tenant' and entity_id = any(${records.map(({ entityId }) => entityId)}::uuid[]) and namespace = ${namespace} and source_id not like '~%' and not is_deleted`);
  return new Set(rows.map(({ entityId }) => entityId));
}

/** Returns the ids of the candidates with whom another person of the bundle shares the name and the unit. */
async function findNamesakes(db: StatementRunner, bundleId: string, rows: readonly CandidateRow[]): Promise<Set<string>> {
  const found = await db.all(sql<{
    id: string;
  }>`select c.id from import_candidate c where c.organization_id = ${db.organizationId} and c.id = any(${rows.map(({ id }) => id)}::uuid[])
    and exists (select from import_candidate other where other.organization_id = c.organization_id and other.bundle_id = ${bundleId} and other.entity_type = c.entity_type
      and other.natural_key = c.natural_key and other.id <> c.id and other.merged_into_id is null)`);
  return new Set(found.map(({ id }) => id));
}

/** Returns the record of each reference that exactly one record of the namespace fits, by reference. */
export async function findEarlierRecords(
  db: StatementRunner,
  namespace: string,
  entityType: ImportEntityType,
  references: readonly OpenReference[],
): Promise<Map<CandidateReference, string>> {
  const named = references.filter(({ ref }) => ref.id === undefined);
  const records = await listRecords(
    db,
    namespace,
    entityType,
    named.map(({ ref }) => ref),
  );
  const leasesOfUnits = entityType === "lease" ? await listLeasesOfUnits(db, namespace, named) : [];
  if (records.length === 0 && leasesOfUnits.length === 0) return new Map();
  const isInUnit = entityType === "unit" || entityType === "lease";
  const propertyIdOf = isInUnit ? await findProperties(db, namespace, records) : () => undefined;
  return new Map(
    named.flatMap((reference): [CandidateReference, string][] => {
      const { email, text } = reference.ref;
      const name = text === undefined ? undefined : normalizeForMatching(text);
      const fitting = records.filter(
        (record) =>
          fitsReference(record, email, name) &&
          (!isInUnit || isOfProperty(record.data, propertyIdOf(record), reference)) &&
          (entityType !== "lease" || mayHaveTenant(toLeaseOfUnit(record), reference)),
      );
      const ofUnit = reference.unitId === undefined ? [] : leasesOfUnits.filter(({ unitId }) => unitId === reference.unitId);
      const best = entityType === "lease" ? leasesOfRow([...fitting, ...ofUnit].map(toLeaseOfUnit), reference) : preferActive(fitting);
      const ids = [...new Set(best.map(({ entityId }) => entityId))];
      return ids.length === 1 ? [[reference.ref, ids[0]!]] : [];
    }),
  );
}

const isActive = ({ data }: EarlierRecord): boolean => data["status"] === "active";
const preferActive = (records: readonly EarlierRecord[]): readonly EarlierRecord[] => (records.some(isActive) ? records.filter(isActive) : records);
const toLeaseOfUnit = (record: EarlierRecord) => ({
  entityId: record.entityId,
  tenantNames: [record.data["primary_tenant_name"], record.data["co_tenants"]].filter(Boolean).join(" "),
  tenantEmails: record.data["primary_tenant_email"] ?? "",
  tenantTarget: null,
  startDate: record.data["start_date"] ?? null,
  endDate: record.data["end_date"] ?? null,
  isActive: isActive(record),
});

/** Returns the leases of the units of references, of which the rows may have named the unit and the tenant by their ids only. */
async function listLeasesOfUnits(
  db: StatementRunner,
  namespace: string,
  references: readonly OpenReference[],
): Promise<(EarlierRecord & { unitId: string })[]> {
  const unitIds = [...new Set(references.flatMap(({ unitId }) => unitId ?? []))];
  if (unitIds.length === 0) return [];
  const identity = (name: "unit" | "lease" | "tenant") =>
    sql`${sql.ref(name)}.organization_id = ${db.organizationId} and ${sql.ref(name)}.namespace = ${namespace} and ${sql.ref(name)}.entity_type = ${name} and not ${sql.ref(name)}.is_deleted`;
  const rows = await db.all(sql<{
    unitId: string;
    entityId: string;
    data: FieldValues;
    tenant: FieldValues | null;
  }>`select unit.entity_id as unit_id, lease.entity_id, lease.data,
      tenant.data as tenant
    from import_identity unit join import_identity lease on ${identity("lease")} and lease.data ->> 'unit_source_id' = unit.source_id
    left join import_identity tenant on ${identity("tenant")} and tenant.source_id = lease.data ->> 'primary_tenant_source_id'
    where ${identity("unit")} and unit.entity_id = any(${unitIds}::uuid[])`);
  return rows.map(({ unitId, entityId, data, tenant }) => ({
    unitId,
    entityId,
    names: [],
    data: omitUndefined({
      ...data,
      primary_tenant_name: data["primary_tenant_name"] ?? (tenant ? entityName(tenant) : undefined),
      primary_tenant_email: data["primary_tenant_email"] ?? tenant?.["email"],
    }) as FieldValues,
  }));
}

/** Field of a record, normalized like `normalizeForMatching`. */
const normalized = (field: string) =>
  sql`trim(regexp_replace(lower(regexp_replace(normalize(data ->> ${field}, NFKD), '[\u0300-\u036f]', '', 'g')), '[^[:alnum:]]+', ' ', 'g'))`;

/** Returns the records whose name, number or e-mail address is that of a reference. */
async function listRecords(
  db: StatementRunner,
  namespace: string,
  entityType: ImportEntityType,
  refs: readonly CandidateReference[],
): Promise<EarlierRecord[]> {
  const field = referenceNames[entityType];
  if (field === undefined || refs.length === 0) return [];
  const names = [...new Set(refs.flatMap(({ text }) => (text === undefined ? [] : normalizeForMatching(text))))];
  const emails = [...new Set(refs.flatMap(({ email }) => email ?? []))];
  const rows = await db.all(sql<Omit<EarlierRecord, "names">>`select entity_id, data from import_identity
    where organization_id = ${db.organizationId} and namespace = ${namespace} and entity_type = ${entityType} and not is_deleted
      and (${normalized(field)} = any(${names}) or data ->> 'email' = any(${emails})
        or ${normalized("street_line1")} = any(${entityType === "property" ? names : []}))`);
  return rows.map((row) => ({ ...row, names: namesOf(entityType, row.data) }));
}

function namesOf(entityType: ImportEntityType, data: FieldValues): string[] {
  const name = entityType === "unit" || entityType === "lease" ? normalizeForMatching(data["unit_number"] ?? "") : nameKeyOf(entityType, data);
  const street = entityType === "property" ? normalizeForMatching(data["street_line1"] ?? "") : "";
  return [name ?? "", street].filter(Boolean);
}

/** Tells whether a record has the e-mail address or the normalized name of a reference. */
const fitsReference = ({ data, names }: EarlierRecord, email: string | undefined, name: string | undefined): boolean =>
  (email !== undefined && data["email"] === email) || (name !== undefined && names.includes(name));

/** Returns a function that finds the property of a unit or a lease among the records of the namespace. */
async function findProperties(
  db: StatementRunner,
  namespace: string,
  records: readonly EarlierRecord[],
): Promise<(record: EarlierRecord) => string | undefined> {
  const ids = [...new Set(records.flatMap(({ data }) => data["property_source_id"] ?? []))];
  const rows = await db.all(sql<{ sourceId: string; entityId: string }>`select source_id, entity_id from import_identity
    where organization_id = ${db.organizationId} and namespace = ${namespace} and entity_type = 'property' and source_id = any(${ids})
      and not is_deleted`);
  const byId = new Map(rows.map(({ sourceId, entityId }) => [sourceId, entityId]));
  return ({ data }) => (data["property_source_id"] === undefined ? undefined : byId.get(data["property_source_id"]));
}

/** Tells whether a unit or a lease is in the property of a row: by the id or the name in both rows, or by the record of the property. */
function isOfProperty(record: FieldValues, recordPropertyId: string | undefined, { data, propertyId }: OpenReference): boolean {
  if (recordPropertyId !== undefined && recordPropertyId === propertyId) return true;
  return ["property_source_id", "property_name"].some(
    (field) => record[field] !== undefined && data[field] !== undefined && normalizeForMatching(record[field]) === normalizeForMatching(data[field]),
  );
}
