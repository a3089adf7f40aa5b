/** Resolution of the references of bulk import rows to existing records. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import type { CandidateRow } from "../../validation/candidates.queries.ts";
import type { FieldValues } from "../../validation/draft.ts";
import type { Match } from "../../validation/match.rules.ts";
import type { BulkRowType, BulkSettings } from "../bulk-import.rules.ts";
import { findPortfolioRecords, isUuid, type MatchesByKey, readRecordsById } from "./fetch-records.ts";
import { findRecordsBySourceId } from "./identities.queries.ts";
import { naturalKeyOf } from "./natural-key.rules.ts";
import { findPayer, selectLease } from "./select-lease.rules.ts";

export interface ResolvedRow {
  id: string;
  /** Ids of the referenced records by name of the reference. */
  referencedIds: Record<string, string>;
  linkErrors: FieldError[];
  naturalKey: string | null;
  sourceId: string;
}

interface PendingRow {
  row: CandidateRow;
  referencedIds: Record<string, string>;
  errors: FieldError[];
}

/** Field of a row that refers to another record, and its text. */
interface RecordReference {
  path: string;
  text: string;
}
const firstFilled = (data: FieldValues, ...fields: readonly string[]): RecordReference | undefined => {
  const path = fields.find((field) => data[field] !== undefined);
  return path === undefined ? undefined : { path, text: data[path]! };
};
/** Functions that return the reference of a row to a record, by the type of the record. */
const referenceTo: Partial<Record<string, (data: FieldValues) => RecordReference | undefined>> = {
  property: (data) => firstFilled(data, "property_source_id", "property_name"),
  vendor: (data) => firstFilled(data, "vendor_source_id", "vendor_name"),
  tenant: (data) => firstFilled(data, "tenant_source_id", "primary_tenant_source_id", "tenant_name", "primary_tenant_name"),
  unit: (data) => firstFilled(data, "unit_source_id"),
  lease: (data) => firstFilled(data, "lease_source_id"),
};

const notFoundError = (type: string, { path, text }: RecordReference): FieldError => ({
  path,
  code: "not_found",
  message: `There is no ${type} "${text}". Add it first, or correct the row.`,
});
const ambiguousError = (type: string, { path, text }: RecordReference, identifier: string): FieldError => ({
  path,
  code: "not_found",
  message: `More than one ${type} matches "${text}". Identify it by ${identifier}.`,
});

/** Returns the records that the texts may denote, each as a record id, a source id, an e-mail address or a name. */
async function findByTexts(db: OrgDb, clients: Clients, type: BulkRowType, texts: readonly string[]): Promise<MatchesByKey> {
  const uniqueTexts = [...new Set(texts)];
  const idsBySourceId = await findRecordsBySourceId(db, type, uniqueTexts);
  const criteria = uniqueTexts.flatMap((text) => [
    ...(idsBySourceId.get(text) ?? []).map((id) => ({ key: text, id })),
    isUuid(text) ? { key: text, id: text } : text.includes("@") ? { key: text, email: text.toLowerCase() } : { key: text, name: text },
  ]);
  return findPortfolioRecords(db, clients, type, criteria);
}

/** Returns the preferred matches of a reference, by id for an id column and by name for other columns, or else the other matches. */
function selectMatches(matchesByText: MatchesByKey, { path, text }: RecordReference): Match[] {
  const matches = matchesByText.get(text) ?? [];
  const byId = matches.filter(({ reasons }) => reasons.includes("id"));
  const byName = matches.filter(({ reasons }) => reasons.some((reason) => reason !== "id"));
  const [preferred, fallback] = path.endsWith("source_id") ? [byId, byName] : [byName, byId];
  return preferred.length > 0 ? preferred : fallback;
}

/** Resolves the references to one type of record. */
async function resolveReferencesTo(db: OrgDb, clients: Clients, type: BulkRowType, rows: readonly PendingRow[], identifier: string): Promise<void> {
  const references = rows.flatMap((pending) => {
    const reference = referenceTo[type]!(pending.row.data);
    return reference ? [{ pending, reference }] : [];
  });
  if (references.length === 0) return;
  const matchesByText = await findByTexts(
    db,
    clients,
    type,
    references.map(({ reference }) => reference.text),
  );
  for (const { pending, reference } of references) {
    const matches = selectMatches(matchesByText, reference);
    if (matches.length === 1) pending.referencedIds[type] = matches[0]!.entityId;
    else pending.errors.push(matches.length > 1 ? ambiguousError(type, reference, identifier) : notFoundError(type, reference));
  }
}

/** Resolves references to units by their number in the property of the row. */
async function resolveUnitNumbers(db: OrgDb, clients: Clients, rows: readonly PendingRow[]): Promise<void> {
  const references = rows.flatMap((pending) => {
    const { unit_number: text, unit_source_id: id } = pending.row.data;
    return text === undefined || id !== undefined ? [] : [{ pending, text, propertyId: pending.referencedIds["property"] }];
  });
  const criteria = references.flatMap(({ text, propertyId }) =>
    propertyId === undefined ? [] : [{ key: `${propertyId}/${text}`, propertyId, unitNumber: text }],
  );
  const matchesByKey = await findPortfolioRecords(db, clients, "unit", [...new Map(criteria.map((each) => [each.key, each])).values()]);
  for (const { pending, text, propertyId } of references) {
    const reference = { path: "unit_number", text };
    const matches = matchesByKey.get(`${propertyId}/${text}`) ?? [];
    if (matches.length === 1) pending.referencedIds["unit"] = matches[0]!.entityId;
    else if (matches.length > 1) pending.errors.push(ambiguousError("unit", reference, "its id"));
    else if (propertyId !== undefined) pending.errors.push(notFoundError("unit", reference));
    else if (referenceTo["property"]!(pending.row.data) === undefined)
      pending.errors.push({
        path: "property_name",
        code: "required",
        message: "Unit numbers are unique only within a property: property_name is required with unit_number.",
      });
  }
}

/** Resolves the lease of each row: by its id, or by its unit, the date and the tenant. Also resolves the payer. */
async function resolveLeases(db: OrgDb, clients: Clients, rows: readonly PendingRow[]): Promise<void> {
  const tenantMatches = await findByTexts(
    db,
    clients,
    "tenant",
    rows.flatMap(({ row }) => referenceTo["tenant"]!(row.data)?.text ?? []),
  );
  const leaseMatches = await findByTexts(
    db,
    clients,
    "lease",
    rows.flatMap(({ row }) => referenceTo["lease"]!(row.data)?.text ?? []),
  );
  const unitIds = [...new Set(rows.flatMap(({ referencedIds }) => referencedIds["unit"] ?? []))];
  const leasesByUnit = await findPortfolioRecords(
    db,
    clients,
    "lease",
    unitIds.map((unitId) => ({ key: unitId, unitId })),
  );
  for (const pending of rows) {
    const { data } = pending.row;
    const [lease, tenant] = [referenceTo["lease"]!(data), referenceTo["tenant"]!(data)];
    const tenants = tenant && selectMatches(tenantMatches, tenant);
    if (tenant && tenants!.length === 0) pending.errors.push(notFoundError("tenant", tenant));
    else {
      const unitId = pending.referencedIds["unit"];
      if (!lease && unitId === undefined) continue;
      const leases: readonly Match[] = lease ? selectMatches(leaseMatches, lease) : (leasesByUnit.get(unitId!) ?? []);
      const tenantIds = tenants?.map(({ entityId }) => entityId);
      const selected = selectLease(leases, {
        date: data["date"] ?? data["received_date"] ?? data["start_date"],
        tenantIds,
        reference: lease ?? { path: "unit_number", text: data["unit_number"]! },
      });
      if ("code" in selected) pending.errors.push(selected);
      else {
        pending.referencedIds["lease"] = selected.entityId;
        const payer = findPayer(selected, tenantIds);
        if (payer !== undefined) pending.referencedIds["tenant"] = payer;
      }
    }
  }
}

/** Resolves the charges that payments name. */
async function resolveCharges(db: OrgDb, clients: Clients, bulk: BulkSettings, rows: readonly PendingRow[]): Promise<void> {
  const references = rows.flatMap((pending) => {
    const reference = firstFilled(pending.row.data, "applied_to_charge_source_id");
    return reference ? [{ pending, reference }] : [];
  });
  if (references.length === 0) return;
  const idsBySourceId = await findRecordsBySourceId(
    db,
    "charge",
    references.map(({ reference }) => reference.text),
  );
  const possibleIds = (text: string) => idsBySourceId.get(text) ?? (isUuid(text) ? [text.toLowerCase()] : []);
  const charges = await readRecordsById(
    db,
    clients,
    bulk,
    "charge",
    references.flatMap(({ reference }) => possibleIds(reference.text)),
  );
  for (const { pending, reference } of references) {
    const existing = possibleIds(reference.text).filter((id) => charges.has(id));
    if (existing.length === 1) pending.referencedIds["charge"] = existing[0]!;
    else pending.errors.push(existing.length > 1 ? ambiguousError("charge", reference, "its id") : notFoundError("charge", reference));
  }
}

/** Types of which each record belongs to a lease. */
const typesOfLease = ["charge", "payment", "recurring_charge"];
/** Types of which each record belongs to a property and may have a unit and a vendor. */
const typesOfVendor = ["work_order", "expense"];

/** Resolves the references of rows of one type, with one search for each type of record. */
export async function resolveRecordReferences(db: OrgDb, clients: Clients, bulk: BulkSettings, rows: readonly CandidateRow[]): Promise<ResolvedRow[]> {
  const pending = rows.map((row): PendingRow => ({ row, referencedIds: {}, errors: [] }));
  const type = rows[0]?.entityType;
  const isOneOf = (...types: readonly string[]) => type !== undefined && types.includes(type);
  if (isOneOf("unit", "lease", ...typesOfVendor, ...typesOfLease)) await resolveReferencesTo(db, clients, "property", pending, "its id");
  if (isOneOf(...typesOfVendor)) await resolveReferencesTo(db, clients, "vendor", pending, "its id");
  if (isOneOf("lease", ...typesOfVendor)) await resolveReferencesTo(db, clients, "unit", pending, "its id");
  if (isOneOf("lease", ...typesOfVendor, ...typesOfLease)) await resolveUnitNumbers(db, clients, pending);
  if (isOneOf("lease")) await resolveReferencesTo(db, clients, "tenant", pending, "e-mail address or id");
  if (isOneOf(...typesOfLease)) await resolveLeases(db, clients, pending);
  if (isOneOf("payment")) await resolveCharges(db, clients, bulk, pending);
  return pending.map(({ row, referencedIds, errors }) => {
    const naturalKey = errors.length > 0 ? null : naturalKeyOf(row.entityType, row.data, referencedIds);
    return { id: row.id, referencedIds, linkErrors: errors, naturalKey, sourceId: row.isDerived && naturalKey !== null ? naturalKey : row.sourceId };
  });
}

/** Stores the links, errors, natural keys and derived source ids of rows. */
export async function saveRecordReferences(tx: OrgTx, bundleId: string, resolvedRows: readonly ResolvedRow[]): Promise<void> {
  if (resolvedRows.length === 0) return;
  const rows = resolvedRows.map(({ id, referencedIds, linkErrors, naturalKey, sourceId }) => ({
    id,
    links: Object.fromEntries(Object.entries(referencedIds).map(([name, entityId]) => [name, { entityId }])),
    link_errors: linkErrors,
    natural_key: naturalKey,
    source_id: sourceId,
  }));
  await tx.all(sql`update import_candidate c set links = resolved.links, link_errors = resolved.link_errors, natural_key = resolved.natural_key,
      source_id = resolved.source_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resolved (id uuid, links jsonb, link_errors jsonb, natural_key text, source_id text)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.id = resolved.id`);
}
