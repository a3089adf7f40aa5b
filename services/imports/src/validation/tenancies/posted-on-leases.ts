/** Deposits and opening balances that earlier imports posted on the leases of rows, whatever the ids and names of the rows were then. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "../candidates.queries.ts";
import { changesBetween, recordFields } from "../match.rules.ts";
import { findChosenRecords, type KnownIdentity, recordOf } from "../find-matches.ts";
import type { FieldValues } from "../draft.ts";
import { isWithin } from "../references/lease-of-row.rules.ts";

/** Tells whether a lease has at most one record of a type unless the rows have ids of their own. */
const isOncePerLease = (entityType: ImportEntityType): boolean => entityType === "deposit" || entityType === "opening_balance";

interface Bundle {
  id: string;
  namespace: string;
}

interface PostedRecord extends KnownIdentity {
  leaseId: string;
}

/** Returns the fields of a record with the references of a row, which denote the same lease by other names or ids. */
export const withReferencesOf = (row: FieldValues, record: FieldValues): FieldValues => ({
  ...record,
  ...Object.fromEntries(Object.entries(row).filter(([field]) => field.endsWith("_source_id") || field === "tenant_name" || field === "tenant_email")),
});

/** Tells whether a row may be that of a record: rows with ids of their own are different records, and so are those of people with different names. */
function maySame({ isDerived, data }: CandidateRow, record: PostedRecord): boolean {
  const [name, formerName] = [data["tenant_name"], record.data["tenant_name"]];
  const isNamesake = name === undefined || formerName === undefined || isWithin(name, formerName) || isWithin(formerName, name);
  return isNamesake && (isDerived || record.sourceId.startsWith("~"));
}

/** Returns the records that earlier imports posted on leases, without those of other rows of the bundle: each record is that of one row. */
const findPostedRecords = (db: StatementRunner, bundle: Bundle, entityType: ImportEntityType, leaseIds: readonly string[], rowIds: readonly string[]) =>
  db.all(sql<PostedRecord>`select i.source_id, i.entity_id, i.data, i.lease_id from import_identity i
    where i.organization_id = ${db.organizationId} and i.entity_type = ${entityType} and i.lease_id = any(${[...leaseIds]}::uuid[])
      and not exists (select from import_identity other join import_candidate c on c.organization_id = other.organization_id
          and c.bundle_id = ${bundle.id} and c.entity_type = other.entity_type and c.source_id = other.source_id
        where other.organization_id = i.organization_id and other.namespace = ${bundle.namespace} and other.entity_type = i.entity_type and other.entity_id = i.entity_id)
      and not exists (select from import_candidate c where c.organization_id = i.organization_id and c.bundle_id = ${bundle.id} and c.entity_type = i.entity_type
        and c.chosen_entity_id = i.entity_id and c.id <> all(${[...rowIds]}::uuid[]))
    order by i.created_at, i.source_id`);

/**
 * Returns, by candidate, the record that an earlier import posted on the lease of the candidate: one with the same values, or else any that is
 * left. `rows` have one type and no record of their own.
 */
export async function findPostedOnLeases(db: StatementRunner, bundle: Bundle, rows: readonly CandidateRow[]): Promise<Map<string, KnownIdentity>> {
  const [first] = rows;
  if (!first || !isOncePerLease(first.entityType)) return new Map();
  const chosenRecords = await findChosenRecords(db, rows);
  const leaseIds = new Map(rows.flatMap(({ id, links }) => [[id, recordOf(links["lease"], chosenRecords)] as const]));
  const ids = [...new Set([...leaseIds.values()].filter((id) => id !== undefined))];
  if (ids.length === 0) return new Map();
  const rowIds = rows.map(({ id }) => id);
  const records = await findPostedRecords(db, bundle, first.entityType, ids, rowIds);
  const left = new Set(records);
  const found = new Map<string, KnownIdentity>();
  for (const requiresEqualValues of [true, false])
    for (const row of rows) {
      if (found.has(row.id)) continue;
      const record = [...left].find(
        (each) => each.leaseId === leaseIds.get(row.id) && maySame(row, each) && (!requiresEqualValues || hasSameValues(row, each)),
      );
      if (!record) continue;
      for (const each of left) if (each.entityId === record.entityId) left.delete(each);
      found.set(row.id, { ...record, data: withReferencesOf(row.data, record.data) });
    }
  return found;
}

const hasSameValues = (row: CandidateRow, { data }: PostedRecord): boolean =>
  changesBetween(withReferencesOf(row.data, data), row.data, recordFields(row.entityType, row.data)).length === 0;
