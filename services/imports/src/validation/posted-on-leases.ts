/** Deposits and opening balances that earlier imports posted on the leases of rows, whatever the ids and names of the rows were then. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "./candidates.queries.ts";
import { changesBetween, recordFields } from "./match.rules.ts";
import { findChosenRecords, type KnownIdentity, recordOf } from "./find-matches.ts";
import type { FieldValues } from "./draft.ts";

/** Tells whether a lease has at most one record of a type unless the rows have ids of their own. */
const isOncePerLease = (entityType: ImportEntityType): boolean => entityType === "deposit" || entityType === "opening_balance";

interface PostedRecord extends KnownIdentity {
  leaseId: string;
}

/** Returns the fields of a record with the references of a row, which denote the same lease by other names or ids. */
const withReferencesOf = (row: FieldValues, record: FieldValues): FieldValues => ({
  ...record,
  ...Object.fromEntries(Object.entries(row).filter(([field]) => field.endsWith("_source_id") || field === "tenant_name" || field === "tenant_email")),
});

/**
 * Returns, by candidate, the record that an earlier import posted on the lease of the candidate: the one with the same values, or else any.
 * Rows with ids of their own in both imports are different records. `rows` have one type and no identity.
 */
export async function findPostedOnLeases(db: StatementRunner, rows: readonly CandidateRow[]): Promise<Map<string, KnownIdentity>> {
  const [first] = rows;
  if (!first || !isOncePerLease(first.entityType)) return new Map();
  const chosenRecords = await findChosenRecords(db, rows);
  const leaseIds = new Map(rows.flatMap(({ id, links }) => [[id, recordOf(links["lease"], chosenRecords)] as const]));
  const ids = [...new Set([...leaseIds.values()].filter((id) => id !== undefined))];
  if (ids.length === 0) return new Map();
  const records = await db.all(sql<PostedRecord>`select source_id, entity_id, data, lease_id from import_identity
    where organization_id = ${db.organizationId} and entity_type = ${first.entityType} and lease_id = any(${ids}::uuid[]) order by created_at, source_id`);
  const byLease = Map.groupBy(records, ({ leaseId }) => leaseId);
  return new Map(
    rows.flatMap((row) => {
      const posted = (byLease.get(leaseIds.get(row.id) ?? "") ?? [])
        .filter(({ sourceId }) => row.isDerived || sourceId.startsWith("~"))
        .map((record) => ({ ...record, data: withReferencesOf(row.data, record.data) }));
      const same = posted.find(({ data }) => changesBetween(data, row.data, recordFields(row.entityType, row.data)).length === 0);
      const record = same ?? posted[0];
      return record ? [[row.id, record] as const] : [];
    }),
  );
}
