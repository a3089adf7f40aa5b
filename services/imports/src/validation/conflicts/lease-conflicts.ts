/** Conflicts of new rows with the leases of their bundle, which the services would refuse. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import type { CandidateRow } from "../candidates.queries.ts";
import { areOfDifferentTenancies, changesHold, isActivated, type LeaseCandidate, leaseAfterImport, stateBeforeImport } from "./lease-after-import.rules.ts";
import { findExchangedUnits } from "./exchanged-units.ts";
import { haveSameTenant } from "../tenancies/household.rules.ts";
import { expiryErrors, overlapErrors, refusedByLease } from "../references/lease-state.rules.ts";

/** Types of which a row may be refused because of its lease. */
export const typesOnLeases: readonly ImportEntityType[] = ["recurring_charge", "deposit", "opening_balance", "charge", "payment"];

/** Returns the day on which a bundle would be imported. */
export async function importDayOf(tx: OrgTx, bundleId: string): Promise<string> {
  const bundle = await tx.first(sql<{ timezone: string }>`select coalesce(started_by ->> 'timezone', 'UTC') as timezone from import_bundle
    where organization_id = ${tx.organizationId} and id = ${bundleId}`);
  return today(bundle!.timezone);
}

/** Columns of a lease's candidate that determine its state. */
const stateColumns = sql`id, data, verdict, decision, errors <> '[]' as has_errors, changes,
  (select m.match -> 'fields' from jsonb_array_elements(matches) m (match) where m.match ->> 'entityId' = chosen_entity_id::text limit 1) as record`;

type LeaseState = LeaseCandidate & { id: string };

/** Returns the error of each new row of money, by id, whose lease takes none, or that pays a charge of another lease. */
export async function findRefusedByLeases(tx: OrgTx, rows: readonly CandidateRow[], day: string): Promise<Map<string, FieldError>> {
  if (!rows.some(({ entityType }) => typesOnLeases.includes(entityType))) return new Map();
  const chargeLeases = await findLeasesOfCharges(tx, rows);
  const leaseIds = [...rows.flatMap((row) => leaseIdOf(row.links) ?? []), ...chargeLeases.values()];
  const leases = await tx.all(
    sql<LeaseState>`select ${stateColumns} from import_candidate where organization_id = ${tx.organizationId} and id = any(${leaseIds}::uuid[])`,
  );
  const byId = new Map(leases.map((lease) => [lease.id, lease]));
  return new Map(
    rows.flatMap((row): [string, FieldError][] => {
      const lease = byId.get(leaseIdOf(row.links) ?? "");
      const chargeLease = byId.get(chargeLeases.get(chargeIdOf(row.links) ?? "") ?? "");
      if (lease && chargeLease && areOfDifferentTenancies(lease, chargeLease)) return [[row.id, otherLeaseError]];
      const state = lease && leaseAfterImport(lease);
      const error = state && refusedByLease(row.entityType, state, day);
      const path = row.refs.find(({ name }) => name === "lease")?.path;
      return error ? [[row.id, { ...error, path: path ?? error.path }]] : [];
    }),
  );
}

const leaseIdOf = ({ lease }: CandidateRow["links"]): string | undefined => (lease && "candidateId" in lease ? lease.candidateId : undefined);
const chargeIdOf = ({ charge }: CandidateRow["links"]): string | undefined => (charge && "candidateId" in charge ? charge.candidateId : undefined);

/** Returns the lease of each charge of the bundle that a payment names. */
async function findLeasesOfCharges(tx: OrgTx, rows: readonly CandidateRow[]): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ links }) => chargeIdOf(links) ?? []);
  if (ids.length === 0) return new Map();
  const charges = await tx.all(sql<{ id: string; leaseId: string }>`select id, links -> 'lease' ->> 'candidateId' as lease_id from import_candidate
    where organization_id = ${tx.organizationId} and id = any(${ids}::uuid[]) and links -> 'lease' ? 'candidateId'`);
  return new Map(charges.map(({ id, leaseId }) => [id, leaseId]));
}

const otherLeaseError: FieldError = {
  path: "applied_to_charge_source_id",
  code: "mismatch",
  message: "The charge belongs to another lease. Name a charge of the payment's own lease, or clear applied_to_charge_source_id to settle the oldest charges.",
};

interface LeaseOfUnit extends LeaseState {
  rowNumber: number;
  nameKey: string;
  /** Candidate or record of the tenant. */
  tenant: unknown;
}

/**
 * Adds an error to each new, activated or changed lease on the units of these evaluated leases that is expired but ends after the import, or that overlaps
 * a lease which the bundle has before it or which exists. Returns the ids of the leases with a new error, among which may be others than these.
 */
export async function flagLeaseConflicts(tx: OrgTx, bundleId: string, ids: readonly string[], day: string): Promise<string[]> {
  const keys = await tx.all(sql<{ nameKey: string }>`select distinct name_key from import_candidate
    where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[]) and entity_type = 'lease' and name_key is not null`);
  if (keys.length === 0) return [];
  const leases = await tx.all(sql<LeaseOfUnit>`select ${stateColumns}, row_number, name_key, links -> 'tenant' as tenant from import_candidate
    where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and entity_type = 'lease' and name_key = any(${keys.map(({ nameKey }) => nameKey)})
      and merged_into_id is null order by position`);
  const newLeases = leases.filter((lease) => lease.verdict === "ready_create" && leaseAfterImport(lease));
  const expiryErrorsById = new Map(newLeases.flatMap(({ id, data }) => expiryErrors(data, day).map((error): [string, FieldError] => [id, error])));
  const byUnit = Map.groupBy(
    leases.filter(({ id }) => !expiryErrorsById.has(id)),
    ({ nameKey }) => nameKey,
  );
  const exchanges = await findExchangedUnits(tx, bundleId, ids, day);
  const errors = new Map([
    ...exchanges,
    ...expiryErrorsById,
    ...[...byUnit.values()].flatMap((each) => [...overlapErrors(inOrderOfWriting(each), day, renews)]),
  ]);
  const conflicts = [...errors].map(([id, error]) => ({ id, error }));
  if (conflicts.length === 0) return [];
  await tx.all(sql`update import_candidate c set errors = jsonb_build_array(conflict.error) from jsonb_to_recordset(${JSON.stringify(conflicts)}::jsonb) as conflict (id uuid, error jsonb)
    where c.organization_id = ${tx.organizationId} and c.id = conflict.id`);
  return [...errors.keys()];
}

/** Returns the leases of a unit as they are after the import: those that hold it already, those that an import changes or activates, and new ones. */
function inOrderOfWriting(leases: readonly LeaseOfUnit[]) {
  const states = leases.flatMap((lease) => {
    const [data, before] = [leaseAfterImport(lease), stateBeforeImport(lease)];
    return data ? [{ id: lease.id, rowNumber: lease.rowNumber, data, before, row: lease, order: orderOfWriting(lease) }] : [];
  });
  return states.toSorted((one, other) => one.order - other.order).map(({ order, ...lease }) => ({ ...lease, isNew: order > 0 }));
}

type WrittenLease = ReturnType<typeof inOrderOfWriting>[number];

/** Tells whether a new lease is the next term of the tenant of a lease that goes on month to month in Freehold, which it renews on its first day. */
function renews(earlier: WrittenLease, later: WrittenLease): boolean {
  const { row: current, data: state } = earlier;
  const isOpen = current.verdict !== "ready_create" && state["status"] === "active" && state["term_type"] === "month_to_month";
  return isOpen && haveSameTenant(current, later.row) && later.row.verdict === "ready_create" && (later.data["start_date"] ?? "") > state["start_date"]!;
}

const orderOfWriting = (lease: LeaseOfUnit): number => (lease.verdict === "ready_create" ? 3 : isActivated(lease) ? 2 : changesHold(lease) ? 1 : 0);
