/** Merging of candidates that represent the same record into one of them. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { CandidateRow } from "./candidates.queries.ts";
import { flagSameNames } from "./conflicts/property-addresses.ts";

const BATCH_SIZE = 20_000;

/** Candidates of a type that are not merged, with `is_former`: true for a unit in the row of a lease other than the one that counts for the unit. */
const unmerged = (tx: OrgTx, { bundleId, entityType, key }: Duplicates, day: string) =>
  entityType === "unit"
    ? sql`(select *, start_date is not null and row_number() over (partition by ${key}, start_date is null
            order by is_open and start_date <= ${day} desc, case when start_date <= ${day} then start_date end desc nulls last, start_date, position) > 1 as is_former
        from (select c.*, lease.start_date, lease.is_open from import_candidate c left join lateral (select l.data ->> 'start_date' as start_date,
              coalesce(l.data ->> 'status', 'active') in ('active', 'pending') and coalesce(l.data ->> 'end_date' >= ${day}, true) as is_open
            from import_candidate l where l.organization_id = ${tx.organizationId} and l.bundle_id = ${bundleId} and l.entity_type = 'lease'
              and l.position between c.position - ${MAX_DRAFTS_OF_ROW} and c.position + ${MAX_DRAFTS_OF_ROW} and l.file_id = c.file_id and l.row_number = c.row_number
              and l.data ->> 'start_date' is not null limit 1) lease on true
          where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'unit' and c.merged_into_id is null and ${key} is not null
            and not c.link_errors @> '[{"code": "unique"}]') of_row)`
    : sql`(select *, false as is_former from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and entity_type = ${entityType}
        and merged_into_id is null and ${key} is not null and not link_errors @> '[{"code": "unique"}]')`;

/** Maximum number of candidates of one row, which have consecutive positions. */
const MAX_DRAFTS_OF_ROW = 50;

interface Duplicates {
  bundleId: string;
  entityType: ImportEntityType;
  key: RawBuilder<unknown>;
  /** Condition over all candidates of a key. */
  isMergeable: RawBuilder<unknown>;
}

/**
 * Selects the duplicates of a type by a key, each with the candidate to keep: the first with a source id of its own, otherwise the first. Of the rows of
 * a unit with its leases, that of the lease in force counts, or else the last one before the day or the first after it, whatever the order of the rows.
 */
const selectDuplicates = (tx: OrgTx, duplicates: Duplicates, day: string) => sql`
  select id, keep_id from (
    select id, first_value(id) over ordered as keep_id, ${duplicates.isMergeable} as is_mergeable from ${unmerged(tx, duplicates, day)} unmerged
    window ordered as (partition by ${duplicates.key} order by is_derived, is_former, position), same_key as (partition by ${duplicates.key})
  ) candidate where id <> keep_id and is_mergeable limit ${BATCH_SIZE}`;

interface MergedDuplicate {
  id: string;
  keepId: string;
}

const mergeSelected = (tx: OrgTx, duplicates: RawBuilder<unknown>) =>
  tx.all(sql<MergedDuplicate>`with duplicate as materialized (${duplicates})
    update import_candidate c set merged_into_id = duplicate.keep_id, updated_at = now(), version = version + 1 from duplicate
    where c.organization_id = ${tx.organizationId} and c.id = duplicate.id returning c.id, c.merged_into_id as keep_id`);

/** Fields with the money of each type that posts money. */
const moneyFields: Partial<Record<ImportEntityType, readonly string[]>> = {
  deposit: ["amount_held"],
  opening_balance: ["balance", "prepaid"],
  recurring_charge: ["amount"],
  charge: ["amount"],
  payment: ["amount"],
};

/** Adds errors to the rows of a type that contradict each other. */
export function flagConflicts(tx: OrgTx, bundleId: string, entityType: ImportEntityType): Promise<void> {
  if (entityType === "property") return flagSameNames(tx, bundleId);
  return entityType === "unit" ? flagTakenUnitNumbers(tx, bundleId) : flagConflictingAmounts(tx, bundleId, entityType);
}

/** Adds an error to rows that denote one record with different amounts: one of the amounts would be lost if they were merged. */
async function flagConflictingAmounts(tx: OrgTx, bundleId: string, entityType: ImportEntityType): Promise<void> {
  const fields = moneyFields[entityType];
  if (!fields) return;
  const amounts = sql`array[${sql.join(fields.map((field) => sql`coalesce((c.data ->> ${field}::text)::numeric, 0)`))}]`;
  const key = sql`case when c.is_derived then coalesce(c.natural_key, c.source_id) else c.source_id end`;
  const rows = sql`import_candidate c where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType}`;
  await tx.all(sql`with conflict as materialized (select ${key} as key, string_agg(c.row_number::text, ', ' order by c.position) as row_numbers from ${rows}
        and not c.link_errors @> '[{"code": "unique"}]' group by 1 having count(distinct ${amounts}) > 1)
    update import_candidate c set link_errors = c.link_errors || jsonb_build_array(jsonb_build_object('path', 'source_id', 'code', 'unique',
      'message', 'The rows ' || left(conflict.row_numbers, 100) || ' denote the same record with different amounts. Add them up to one row, or give each its own id.'))
    from conflict where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType} and ${key} = conflict.key`);
}

/** Adds an error to each unit row whose number an earlier row of the property has under another source id: a property has one unit of a number. */
async function flagTakenUnitNumbers(tx: OrgTx, bundleId: string): Promise<void> {
  const units = sql`c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'unit'`;
  const sameNumber = sql`same_number as (partition by c.natural_key, lower(c.data ->> 'unit_number') order by c.position)`;
  await tx.all(sql`with numbered as (select c.id, c.source_id, first_value(c.source_id) over same_number as first_source_id, first_value(c.row_number) over same_number as first_row
        from import_candidate c where ${units} and c.natural_key is not null and not c.is_derived
          and c.decision is distinct from 'exclude' and not c.link_errors @> '[{"code": "unique"}]' window ${sameNumber}),
      taken as materialized (select id, first_row from numbered where source_id <> first_source_id)
    update import_candidate c set link_errors = c.link_errors || jsonb_build_array(jsonb_build_object('path', 'unit_number', 'code', 'unique',
      'message', 'Row ' || taken.first_row || ' has the same unit_number in this property. Correct one of them or exclude one of the rows, then validate again.'))
    from taken where c.organization_id = ${tx.organizationId} and c.id = taken.id`);
}

/**
 * Merges one batch of duplicates of a type, by source id and then by natural key. Candidates of the same natural key with
 * different source ids of their own are not merged; a tenant without one is the namesake of the same lease. Returns true when more may remain.
 */
export async function mergeDuplicates(tx: OrgTx, bundleId: string, entityType: ImportEntityType, day: string): Promise<boolean> {
  const byId = await mergeSelected(tx, selectDuplicates(tx, { bundleId, entityType, key: sql`source_id`, isMergeable: sql`true` }, day));
  if (byId.length === BATCH_SIZE) return true;
  const hasOneSourceId = sql`(min(source_id) filter (where not is_derived) over same_key) is not distinct from (max(source_id) filter (where not is_derived) over same_key)`;
  const byKey = await mergeSelected(tx, selectDuplicates(tx, { bundleId, entityType, key: sql`natural_key`, isMergeable: hasOneSourceId }, day));
  await redirectDuplicates(tx, byKey);
  if (byKey.length === BATCH_SIZE || entityType !== "tenant") return byKey.length === BATCH_SIZE;
  const byLease = await mergeSelected(tx, selectNamesakesOfLeases(tx, bundleId));
  await redirectDuplicates(tx, byLease);
  return byLease.length === BATCH_SIZE;
}

/** Merges the candidates that were merged into a duplicate into its target instead. */
async function redirectDuplicates(tx: OrgTx, merged: readonly MergedDuplicate[]): Promise<void> {
  if (merged.length === 0) return;
  await tx.all(sql`with duplicate as materialized (select * from unnest(${merged.map(({ id }) => id)}::uuid[], ${merged.map(({ keepId }) => keepId)}::uuid[]) as duplicate (id, keep_id))
    update import_candidate c set merged_into_id = duplicate.keep_id from duplicate where c.organization_id = ${tx.organizationId} and c.merged_into_id = duplicate.id`);
}

/**
 * Selects the tenants without a source id of their own of whose namesakes in the unit exactly one is on their lease, or exactly one of these is
 * responsible for it, each with this namesake.
 */
const selectNamesakesOfLeases = (tx: OrgTx, bundleId: string) => sql`
  select id, case when responsible_count = 1 then responsible_id when namesake_count = 1 then namesake_id end as keep_id from (
    select c.id, count(*) as namesake_count, (array_agg(namesake.id))[1] as namesake_id,
      count(*) filter (where namesake.is_responsible) as responsible_count, (array_agg(namesake.id) filter (where namesake.is_responsible))[1] as responsible_id
    from import_candidate c cross join lateral (
      select o.id, coalesce(o.data ->> 'role', '') !~* '^(co-? ?signer|guarantor|other|occupant|child)' as is_responsible from import_candidate o
      where o.organization_id = c.organization_id and o.bundle_id = c.bundle_id and o.entity_type = 'tenant' and o.natural_key = c.natural_key and not o.is_derived
        and o.merged_into_id is null and o.data ->> 'lease_source_id' = c.data ->> 'lease_source_id'
        and coalesce(o.data ->> 'status', '') !~* '^(past|former|evicted|cancel|denied)' offset 0) namesake
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'tenant' and c.is_derived and c.merged_into_id is null
      and c.natural_key is not null and c.data ->> 'lease_source_id' is not null
    group by c.id) tenant
  where responsible_count = 1 or namesake_count = 1 limit ${BATCH_SIZE}`;

/** Returns the ids of tenants without a source id of their own of whom several people with ids may be meant, by name and unit. */
export async function findUnclearNamesakes(tx: OrgTx, bundleId: string, rows: readonly CandidateRow[]): Promise<Set<string>> {
  const ids = rows.flatMap(({ id, entityType, isDerived }) => (entityType === "tenant" && isDerived ? [id] : []));
  if (ids.length === 0) return new Set();
  const unclear = await tx.all(sql<{
    id: string;
  }>`select c.id from import_candidate c where c.organization_id = ${tx.organizationId} and c.id = any(${ids}::uuid[])
    and exists (select from import_candidate o where o.organization_id = c.organization_id and o.bundle_id = ${bundleId} and o.entity_type = 'tenant'
      and o.natural_key = c.natural_key and not o.is_derived and o.merged_into_id is null)`);
  return new Set(unclear.map(({ id }) => id));
}

/**
 * Fills missing fields, extra values, links and dependencies of candidates from their merged duplicates, in the order of the
 * rows. `lateral` with `offset 0` forces an index lookup for each candidate, since a new bundle has no planner statistics.
 */
export async function fillFromDuplicates(tx: OrgTx, bundleId: string, ids: readonly string[]): Promise<void> {
  const duplicates = (columns: RawBuilder<unknown>) =>
    sql`unnest(${[...ids]}::uuid[]) as target (id) cross join lateral (select ${columns} from import_candidate d
      where d.organization_id = ${tx.organizationId} and d.merged_into_id = target.id offset 0) d`;
  for (const column of [sql`data`, sql`extra`, sql`links`])
    await tx.all(sql`with filled as materialized (select target.id, jsonb_object_agg(e.key, e.value order by d.position desc) as value
        from ${duplicates(sql`d.${column} as value, d.position`)}, jsonb_each(d.value) e group by target.id)
      update import_candidate c set ${column} = filled.value || c.${column} from filled
      where c.organization_id = ${tx.organizationId} and c.id = any(${[...ids]}::uuid[]) and c.id = filled.id`);
  await tx.all(sql`insert into import_dependency (organization_id, bundle_id, candidate_id, depends_on_id)
    select ${tx.organizationId}, ${bundleId}, target.id, dependency.depends_on_id from ${duplicates(sql`d.id as duplicate_id`)}
    cross join lateral (select i.depends_on_id from import_dependency i where i.organization_id = ${tx.organizationId} and i.candidate_id = d.duplicate_id offset 0) dependency
    on conflict do nothing`);
}

/** Returns the ids of the candidates that have merged duplicates. */
export async function filterWithDuplicates(db: StatementRunner, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.all(sql<{ id: string }>`select target.id from unnest(${[...ids]}::uuid[]) as target (id)
    cross join lateral (select from import_candidate d where d.organization_id = ${db.organizationId} and d.merged_into_id = target.id limit 1) d`);
  return rows.map(({ id }) => id);
}
