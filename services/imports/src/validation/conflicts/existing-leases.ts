/** Conflicts of new rows with leases that are in Freehold and not in their bundle, which the services would refuse. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../../clients.ts";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { findChosenRecords, findIdentities, recordOf } from "../find-matches.ts";
import { findRepresented } from "../references/known-records.ts";
import { isOfOtherTenant } from "../references/lease-tenants.rules.ts";
import { findTenantsOfLeases } from "../references/lease-tenants.ts";
import { leaseAfterImport } from "./lease-after-import.rules.ts";
import { typesOnLeases } from "./lease-conflicts.ts";
import { holdsOverlap, refusedByLease } from "../references/lease-state.rules.ts";
import type { ResolvedCandidate } from "../references/resolve-references.ts";

interface Bundle {
  id: string;
  namespace: string;
}

/** Tells whether an error of a reference is a conflict with a lease in Freehold, which only a new row has, or one that changes its days. */
export const isLeaseConflict = ({ code }: FieldError): boolean => code === "not_allowed" || code === "overlap";

/** Adds the conflicts of rows of one type to the errors of their resolved references. Calls portfolio, so it must not run in a transaction. */
export async function addLeaseConflicts(
  db: OrgDb,
  clients: Clients,
  bundle: Bundle,
  rows: readonly CandidateRow[],
  resolved: readonly ResolvedCandidate[],
  day: string,
): Promise<ResolvedCandidate[]> {
  const entityType = rows[0]?.entityType;
  const conflicts =
    entityType === "lease"
      ? await findOverlaps(db, clients, bundle, rows, resolved, day)
      : entityType !== undefined && typesOnLeases.includes(entityType)
        ? await findRefusals(db, clients, rows, resolved, day)
        : new Map<string, FieldError>();
  return resolved.map((candidate) => {
    const conflict = conflicts.get(candidate.id);
    return conflict ? { ...candidate, linkErrors: [...candidate.linkErrors, conflict] } : candidate;
  });
}

const stateOf = (record: FieldValues): FieldValues | undefined =>
  leaseAfterImport({ data: {}, verdict: "unchanged", decision: null, hasErrors: false, changes: [], record });

/** Returns the error of each row of money, by id, whose lease takes none. */
async function findRefusals(db: OrgDb, clients: Clients, rows: readonly CandidateRow[], resolved: readonly ResolvedCandidate[], day: string) {
  const leaseIds = new Map(resolved.flatMap(({ id, links: { lease } }) => (lease && "entityId" in lease ? [[id, lease.entityId] as const] : [])));
  if (leaseIds.size === 0) return new Map<string, FieldError>();
  const criteria = [...new Set(leaseIds.values())].map((id) => ({ key: id, id }));
  const { matches } = await clients.portfolio.findMatches(db, { kind: "lease", criteria });
  const states = new Map(matches.map(({ id, fields }) => [id, stateOf(fields)]));
  return new Map(
    rows.flatMap(({ id, entityType, refs }): [string, FieldError][] => {
      const lease = states.get(leaseIds.get(id) ?? "");
      const error = lease && refusedByLease(entityType, lease, day);
      return error ? [[id, { ...error, path: refs.find(({ name }) => name === "lease")?.path ?? error.path }]] : [];
    }),
  );
}

/** Returns the error of each lease, by id, whose unit another lease holds on some of its days, unless it held it before. */
async function findOverlaps(
  db: OrgDb,
  clients: Clients,
  bundle: Bundle,
  rows: readonly CandidateRow[],
  resolved: readonly ResolvedCandidate[],
  day: string,
): Promise<Map<string, FieldError>> {
  const links = new Map(resolved.map((candidate) => [candidate.id, candidate.links]));
  const linked = rows.map((row) => ({ ...row, links: links.get(row.id) ?? {} }));
  const chosenRecords = await findChosenRecords(db, linked);
  const sourceIds = linked.map(({ sourceId }) => sourceId);
  const identities = await findIdentities(db, bundle.namespace, "lease", sourceIds);
  const criteria = linked.flatMap((row) => {
    const unitId = recordOf(row.links["unit"], chosenRecords);
    return unitId === undefined ? [] : [{ key: row.id, unitId }];
  });
  if (criteria.length === 0) return new Map();
  const { matches } = await clients.portfolio.findMatches(db, { kind: "lease", criteria });
  const inBundle = await findRepresented(db, bundle, "lease", [...new Set(matches.map(({ id }) => id))]);
  const data = new Map(rows.map((row) => [row.id, row.data]));
  const sourceIdOf = new Map(rows.map((row) => [row.id, row.sourceId]));
  const recordsOfRows = new Map(
    matches.flatMap(({ key, id, fields }) => (identities.get(sourceIdOf.get(key)!)?.entityId === id ? [[key, stateOf(fields)] as const] : [])),
  );
  const tenants = await findTenantsOfLeases(db, linked);
  return new Map(
    matches.flatMap(({ key, id, name, fields }): [string, FieldError][] => {
      const [row, lease] = [data.get(key)!, stateOf(fields)];
      // A lease of the same tenant and first day is the one that the row represents. While its tenant is undecided, the row is not new and the error does not count.
      const isOther = !inBundle.has(id) && (fields["start_date"] !== row["start_date"] || !tenants.has(key) || isOfOtherTenant(fields, tenants.get(key)));
      const before = recordsOfRows.get(key);
      const isOld = (before !== undefined && lease !== undefined && holdsOverlap(before, lease, day)) || isRenewedBy(fields, row, tenants.get(key));
      return isOther && lease && !isOld && holdsOverlap(row, lease, day) ? [[key, overlapWith(name)]] : [];
    }),
  );
}

/** Tells whether a row is the next term of a lease that goes on month to month, which it renews: it is of the same tenant. */
const isRenewedBy = (lease: FieldValues, row: FieldValues, tenantOfRow: string | null | undefined): boolean =>
  lease["status"] === "active" &&
  lease["term_type"] === "month_to_month" &&
  typeof tenantOfRow === "string" &&
  tenantOfRow === lease["tenant"] &&
  lease["start_date"]! < (row["start_date"] ?? "") &&
  !endedStatuses.has(row["status"]);

const endedStatuses: ReadonlySet<string | undefined> = new Set(["draft", "expired", "terminated", "cancelled"]);

const overlapWith = (firstDay: string): FieldError => ({
  path: "start_date",
  code: "overlap",
  message: `A lease from ${firstDay} in Freehold holds the unit on some of these days. End that lease there first, or correct the dates or the status of the row, then validate again.`,
});
