/** Queries for the writing of a bundle: candidates that are ready, and their results. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { identityNamespace } from "../bulk-imports/bulk-settings.queries.ts";
import type { WritingCursor } from "../validation/cursor.ts";
import type { CandidateReference, FieldValues } from "../validation/draft.ts";
import type { RentCharge } from "./recurring-charges/imported-rents.rules.ts";
import { linkedRecord, subjectRecord } from "../validation/references/linked-records.queries.ts";

/** Candidate that is ready to be written. */
export interface ReadyCandidate {
  id: string;
  position: number;
  data: FieldValues;
  /** Differences to the record that the candidate updates. */
  changes: Candidate["changes"];
  isNew: boolean;
  isUnchanged: boolean;
  /** Day of the receipt of a payment. */
  paymentDay?: string;
  entityId: string | null;
  refs: CandidateReference[];
  /** Idempotency key of the creation of the record; see `rowKey`. */
  key: string;
  /** Digest of the values of the row. */
  fingerprint: string;
  /** Ids of the referenced records by name of the reference; null while a record is not written. */
  linkedIds: Record<string, string | null>;
}

const linkedIds = sql`(select coalesce(jsonb_object_agg(l.key, coalesce(l.value ->> 'entityId', (select coalesce(target.result_entity_id, target.chosen_entity_id)::text
    from import_candidate target where target.organization_id = c.organization_id and target.id = (l.value ->> 'candidateId')::uuid))), '{}') from jsonb_each(c.links) l)`;
/**
 * Idempotency key of the creation of the record of the candidate `c`: the source row and, after its record was deleted or is created again, the
 * former record. It is the same in each bundle that was validated before the row was written, so that no two of them create a record, and a record
 * whose creation was not noticed is not created again.
 */
const rowKey = sql`(select encode(sha256(convert_to(jsonb_build_array(bundle.namespace, c.entity_type, c.source_id, c.former_entity_id)::text, 'UTF8')), 'hex')
  from (select ${identityNamespace} as namespace from import_bundle where organization_id = c.organization_id and id = c.bundle_id) bundle)`;
const columns = sql`c.id, c.position, c.data, c.changes, c.status = 'ready_create' as is_new, c.status = 'unchanged' as is_unchanged, c.chosen_entity_id as entity_id, c.refs,
  ${rowKey} as key, encode(sha256(convert_to(c.data::text, 'UTF8')), 'hex') as fingerprint, ${linkedIds} as linked_ids`;

const isReady = sql`c.status in ('ready_create', 'ready_update') and c.result_entity_id is null`;

/** Tells whether the lease that the candidate `c` changes has begun, so that its first day stays. */
const isBegun = sql`exists (select from jsonb_to_recordset(c.matches) as match ("entityId" uuid, fields jsonb)
  where match."entityId" = c.chosen_entity_id and match.fields ->> 'status' not in ('draft', 'pending'))`;

/** Tells whether the candidate `c` of a lease ends it, or moves its last day back or its first day on. */
const isFreeing = sql`exists (select from jsonb_to_recordset(c.changes) as change (field text, "from" text, "to" text)
  where (field = 'status' and "to" in ('terminated', 'expired', 'cancelled')) or (field = 'end_date' and coalesce("from" > "to", true))
    or (field = 'start_date' and "to" > "from" and not ${isBegun}))`;

/** Returns the next ready candidates after a cursor that are not written yet: payments by the day of their receipt, changes of leases and units before new ones, and others in the order of their rows. */
export function listReadyAfter(db: StatementRunner, bundleId: string, cursor: WritingCursor, limit: number): Promise<ReadyCandidate[]> {
  const { entityType, position, isUpdate } = cursor;
  const freeing = cursor.isFreeing ? sql`and ${isFreeing}` : sql``;
  if (entityType === "payment") return listPaymentsAfter(db, bundleId, cursor, limit);
  return db.all(sql<ReadyCandidate>`select ${columns} from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}
    and c.entity_type = ${entityType} and ${isReady} and c.position > ${position} and (not ${isUpdate === true} or c.status = 'ready_update') ${freeing}
    order by c.position limit ${limit}`);
}

const listPaymentsAfter = (
  db: StatementRunner,
  bundleId: string,
  { position, paymentDay = "", isChargeNamed }: WritingCursor,
  limit: number,
): Promise<ReadyCandidate[]> =>
  db.all(sql<ReadyCandidate>`select ${columns}, c.payment_day from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}
    and c.payment_day is not null and ${isReady} and (c.payment_day, c.position) > (${paymentDay}, ${position})
    and (not ${isChargeNamed === true} or c.links ? 'charge')
    order by c.payment_day, c.position limit ${limit}`);

/** Returns the ready and the unchanged candidates for the ownership of properties. */
export const listOwnershipOf = (db: StatementRunner, bundleId: string, propertyIds: readonly string[]): Promise<ReadyCandidate[]> =>
  db.all(sql<ReadyCandidate>`with ids as materialized (select unnest(${[...propertyIds]}::uuid[]) as id),
      property_link as materialized (select jsonb_build_object('entityId', id::text) as link from ids
        union select jsonb_build_object('candidateId', p.id::text) from import_candidate p join ids on ids.id = coalesce(p.result_entity_id, p.chosen_entity_id)
          where p.organization_id = ${db.organizationId} and p.bundle_id = ${bundleId} and p.entity_type = 'property')
    select ${columns} from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'ownership'
      and c.status in ('ready_create', 'ready_update', 'unchanged') and c.links -> 'property' in (select link from property_link) order by c.position`);

/** Returns the recurring charges of a bundle for the rent of its leases. */
export const listRentCharges = (db: StatementRunner, bundleId: string): Promise<RentCharge[]> =>
  db.all(sql<RentCharge>`select c.id, c.data, lease.id as lease_candidate_id, lease.data as lease, lease.status = 'ready_create' as is_lease_new
    from import_candidate c join import_candidate lease on lease.organization_id = c.organization_id and lease.id = (c.links -> 'lease' ->> 'candidateId')::uuid
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'recurring_charge' and c.data ->> 'kind' = 'rent'
      and c.status in ('ready_create', 'ready_update', 'unchanged')`);

interface WriteFailure {
  status: "invalid" | "blocked";
  errors: FieldError[];
}

/** Result of a candidate: the id of its record, or the status and errors of a candidate that was not written. */
export type WriteResult = { id: string } & ({ entityId: string } | WriteFailure);

/** Lease of the occupant, deposit or opening balance of the candidate `c`. */
const leaseId = sql`case when c.entity_type in ('occupant', 'deposit', 'opening_balance') then ${linkedRecord("lease")} end`;

/** Subject of the charge, payment or expense of the candidate `c`. */
const subjectId = sql`case when c.entity_type in ('charge', 'payment', 'expense') then ${subjectRecord} end`;

/** Stores the results of candidates and the identities of the written records. */
export async function saveWriteResults(tx: OrgTx, bundle: { id: string; namespace: string }, results: readonly WriteResult[]): Promise<void> {
  const json = JSON.stringify(
    results.map((result) => ({
      id: result.id,
      ...("entityId" in result && { entity_id: result.entityId }),
      ...("status" in result && { status: result.status, errors: result.errors }),
    })),
  );
  await tx.all(sql`update import_candidate c set result_entity_id = result.entity_id, status = coalesce(result.status, c.status), errors = coalesce(result.errors, c.errors),
      updated_at = now(), version = c.version + 1
    from jsonb_to_recordset(${json}::jsonb) as result (id uuid, entity_id uuid, status text, errors jsonb)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.id = any(${results.map(({ id }) => id)}::uuid[]) and c.id = result.id`);
  await tx.all(sql`insert into import_identity (organization_id, namespace, entity_type, source_id, entity_id, bundle_id, lease_id, subject_id, data, action, created_at, updated_at)
    select c.organization_id, ${bundle.namespace}, c.entity_type, c.source_id, c.result_entity_id, c.bundle_id, ${leaseId}, ${subjectId}, c.data,
      case c.status when 'ready_create' then 'created' else 'updated' end, now(), now()
    from import_candidate c where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.result_entity_id is not null
      and c.id = any(${results.map(({ id }) => id)}::uuid[])
    on conflict (organization_id, namespace, entity_type, source_id) do update set entity_id = excluded.entity_id, bundle_id = excluded.bundle_id,
      lease_id = excluded.lease_id, subject_id = excluded.subject_id, data = excluded.data, action = excluded.action, is_deleted = false, updated_at = excluded.updated_at`);
}

/** Range of positions after `previousPosition`, through `lastPosition`. */
interface PositionRange {
  previousPosition: number;
  lastPosition: number;
}
const RANGE_SIZE = 10_000;

/** Returns the positions of a bundle in ranges, each small enough for one statement. */
export async function positionRanges(db: StatementRunner, bundleId: string): Promise<PositionRange[]> {
  const row = await db.first(
    sql<{
      lastPosition: number;
    }>`select coalesce(max(position), 0) as last_position from import_candidate where organization_id = ${db.organizationId} and bundle_id = ${bundleId}`,
  );
  return Array.from({ length: Math.ceil(row!.lastPosition / RANGE_SIZE) }, (_, index) => ({
    previousPosition: index * RANGE_SIZE,
    lastPosition: (index + 1) * RANGE_SIZE,
  }));
}

const inRange = (tx: OrgTx, bundleId: string, { previousPosition, lastPosition }: PositionRange) =>
  sql`c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.position > ${previousPosition}
    and c.position <= ${lastPosition}`;

/** Sets the results of unchanged candidates to their existing records. */
export async function completeUnchanged(tx: OrgTx, bundleId: string, range: PositionRange): Promise<void> {
  await tx.all(sql`update import_candidate c set result_entity_id = c.chosen_entity_id where ${inRange(tx, bundleId, range)}
    and c.status = 'unchanged' and c.result_entity_id is null`);
}

/**
 * Sets the results of merged duplicates to the records of their targets, and stores the identities of duplicates and unchanged candidates. An unchanged
 * lease may have another status or other co-tenants in its row, by which later rows find it.
 */
export async function completeDuplicates(tx: OrgTx, bundle: { id: string; namespace: string }, range: PositionRange): Promise<void> {
  await tx.all(sql`with duplicate as materialized (select c.id, target.result_entity_id from import_candidate c
      cross join lateral (select t.result_entity_id from import_candidate t where t.organization_id = ${tx.organizationId} and t.id = c.merged_into_id limit 1) target
      where ${inRange(tx, bundle.id, range)} and c.merged_into_id is not null)
    update import_candidate c set result_entity_id = duplicate.result_entity_id from duplicate where c.organization_id = ${tx.organizationId} and c.id = duplicate.id`);
  await tx.all(sql`insert into import_identity (organization_id, namespace, entity_type, source_id, entity_id, bundle_id, lease_id, subject_id, data, action, created_at, updated_at)
    select distinct on (c.entity_type, c.source_id) c.organization_id, ${bundle.namespace}, c.entity_type, c.source_id, c.result_entity_id, c.bundle_id, ${leaseId}, ${subjectId}, c.data,
      case c.status when 'unchanged' then 'unchanged' else 'merged' end, now(), now()
    from import_candidate c where ${inRange(tx, bundle.id, range)} and c.status in ('unchanged', 'duplicate_merged') and c.result_entity_id is not null
    order by c.entity_type, c.source_id, c.position
    on conflict (organization_id, namespace, entity_type, source_id) do update set entity_id = excluded.entity_id, bundle_id = excluded.bundle_id,
      lease_id = excluded.lease_id, subject_id = excluded.subject_id, data = case when import_identity.is_deleted then excluded.data else import_identity.data || excluded.data end,
      action = excluded.action, is_deleted = false, updated_at = excluded.updated_at
      where import_identity.is_deleted or (import_identity.subject_id is null and excluded.subject_id is not null)
        or (excluded.entity_type = 'lease' and excluded.action = 'unchanged' and not import_identity.data @> excluded.data)`);
}
