/** Conflicts of new rows with the leases of their bundle, which the services would refuse. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { expiryErrors, overlapErrors, refusedByLease } from "./lease-state.rules.ts";

/** Types of which a row may be refused because of its lease. */
const typesOnLeases: readonly ImportEntityType[] = ["recurring_charge", "deposit", "opening_balance", "charge", "payment"];

/** Returns the day on which a bundle would be imported. */
export async function importDayOf(tx: OrgTx, bundleId: string): Promise<string> {
  const bundle = await tx.first(sql<{ timezone: string }>`select coalesce(started_by ->> 'timezone', 'UTC') as timezone from import_bundle
    where organization_id = ${tx.organizationId} and id = ${bundleId}`);
  return today(bundle!.timezone);
}

/** Returns the error of each new row of money, by id, whose lease is another new row that takes none. */
export async function findRefusedByLeases(tx: OrgTx, rows: readonly CandidateRow[], day: string): Promise<Map<string, FieldError>> {
  if (!rows.some(({ entityType }) => typesOnLeases.includes(entityType))) return new Map();
  const leaseIdOf = ({ links: { lease } }: CandidateRow) => (lease && "candidateId" in lease ? lease.candidateId : undefined);
  const leases = await tx.all(sql<{ id: string; data: FieldValues }>`select id, data from import_candidate
    where organization_id = ${tx.organizationId} and id = any(${rows.flatMap((row) => leaseIdOf(row) ?? [])}::uuid[]) and verdict = 'ready_create' and errors = '[]'`);
  const byId = new Map(leases.map(({ id, data }) => [id, data]));
  return new Map(
    rows.flatMap((row): [string, FieldError][] => {
      const lease = byId.get(leaseIdOf(row) ?? "");
      const error = lease && refusedByLease(row.entityType, lease, day);
      const path = row.refs.find(({ name }) => name === "lease")?.path;
      return error ? [[row.id, { ...error, path: path ?? error.path }]] : [];
    }),
  );
}

interface NewLease {
  id: string;
  rowNumber: number;
  nameKey: string;
  data: FieldValues;
}

/**
 * Adds an error to each new lease on the units of these evaluated leases that is expired but ends after the import, or overlaps an earlier new lease.
 * Returns the ids of the leases with a new error, among which may be others than these.
 */
export async function flagLeaseConflicts(tx: OrgTx, bundleId: string, ids: readonly string[], day: string): Promise<string[]> {
  const keys = await tx.all(sql<{ nameKey: string }>`select distinct name_key from import_candidate
    where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[]) and entity_type = 'lease' and name_key is not null`);
  if (keys.length === 0) return [];
  const leases = await tx.all(sql<NewLease>`select id, row_number, name_key, data from import_candidate
    where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and entity_type = 'lease' and name_key = any(${keys.map(({ nameKey }) => nameKey)})
      and verdict = 'ready_create' and errors = '[]' and merged_into_id is null and decision is distinct from 'exclude' order by position`);
  const expiryErrorsById = new Map(leases.flatMap(({ id, data }) => expiryErrors(data, day).map((error): [string, FieldError] => [id, error])));
  const byUnit = Map.groupBy(
    leases.filter(({ id }) => !expiryErrorsById.has(id)),
    ({ nameKey }) => nameKey,
  );
  const errors = new Map([...expiryErrorsById, ...[...byUnit.values()].flatMap((each) => [...overlapErrors(each, day)])]);
  const conflicts = [...errors].map(([id, error]) => ({ id, error }));
  if (conflicts.length === 0) return [];
  await tx.all(sql`update import_candidate c set errors = jsonb_build_array(conflict.error) from jsonb_to_recordset(${JSON.stringify(conflicts)}::jsonb) as conflict (id uuid, error jsonb)
    where c.organization_id = ${tx.organizationId} and c.id = conflict.id`);
  return [...errors.keys()];
}
