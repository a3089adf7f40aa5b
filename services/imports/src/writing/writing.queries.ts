/** What is written of a bundle, a chunk at a time. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate, ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Data, Ref } from "../validation/draft.ts";

/** A candidate that is to be written, with the records that those it refers to have become. */
export interface ReadyRow {
  id: string;
  position: number;
  data: Data;
  /** What it says otherwise than the record that it changes. */
  changes: Candidate["changes"];
  isNew: boolean;
  isUnchanged: boolean;
  entityId: string | null;
  refs: Ref[];
  linked: Record<string, string | null>;
}

const linked = sql`(select coalesce(jsonb_object_agg(l.key, coalesce(l.value ->> 'entityId', (select coalesce(o.result_entity_id, o.chosen_entity_id)::text
    from import_candidate o where o.organization_id = c.organization_id and o.id = (l.value ->> 'candidateId')::uuid))), '{}') from jsonb_each(c.links) l)`;
const columns = sql`c.id, c.position, c.data, c.changes, c.status = 'ready_create' as is_new, c.status = 'unchanged' as is_unchanged, c.chosen_entity_id as entity_id, c.refs, ${linked} as linked`;

/** The next candidates of a type that nobody has written yet. */
export const readyAfter = (db: StatementRunner, bundleId: string, entityType: ImportEntityType, position: number, atMost: number): Promise<ReadyRow[]> =>
  db.all(sql<ReadyRow>`select ${columns} from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}
    and c.entity_type = ${entityType} and c.status in ('ready_create', 'ready_update') and c.result_entity_id is null and c.position > ${position}
    order by c.position limit ${atMost}`);

/** The candidates of a type that take part in what is written together, also those that have not changed. */
export const partsOf = (db: StatementRunner, bundleId: string, entityType: ImportEntityType): Promise<ReadyRow[]> =>
  db.all(sql<ReadyRow>`select ${columns} from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}
    and c.entity_type = ${entityType} and c.status in ('ready_create', 'ready_update', 'unchanged') order by c.position`);

/** Leases whose rent comes with a recurring charge of its own. */
export async function leasesBilledByRow(db: StatementRunner, bundleId: string): Promise<Set<string>> {
  const rows = await db.all(sql<{ id: string }>`select distinct links -> 'lease' ->> 'candidateId' as id from import_candidate
    where organization_id = ${db.organizationId} and bundle_id = ${bundleId} and entity_type = 'recurring_charge' and data ->> 'kind' = 'rent'
      and status in ('ready_create', 'ready_update', 'unchanged') and links -> 'lease' ->> 'candidateId' is not null`);
  return new Set(rows.map(({ id }) => id));
}

/** What became of a candidate: the record that it is now, or why it was not written. */
export type Written = { id: string } & ({ entityId: string } | { status: "invalid" | "blocked"; errors: FieldError[] });

/** Keeps what became of candidates, and which record each of their ids is from now on. */
export async function keepWritten(tx: OrgTx, bundle: { id: string; namespace: string }, written: readonly Written[]): Promise<void> {
  const given = JSON.stringify(
    written.map((one) => ({ id: one.id, ...("entityId" in one ? { entity_id: one.entityId } : { status: one.status, errors: one.errors }) })),
  );
  await tx.all(sql`update import_candidate c set result_entity_id = given.entity_id, status = coalesce(given.status, c.status), errors = coalesce(given.errors, c.errors),
      updated_at = now(), version = c.version + 1
    from jsonb_to_recordset(${given}::jsonb) as given (id uuid, entity_id uuid, status text, errors jsonb)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.id = any(${written.map(({ id }) => id)}::uuid[]) and c.id = given.id`);
  await tx.all(sql`insert into import_identity (organization_id, namespace, entity_type, source_id, entity_id, bundle_id, data, action, created_at, updated_at)
    select c.organization_id, ${bundle.namespace}, c.entity_type, c.source_id, c.result_entity_id, c.bundle_id, c.data,
      case c.status when 'ready_create' then 'created' else 'updated' end, now(), now()
    from import_candidate c where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.result_entity_id is not null
      and c.id = any(${written.map(({ id }) => id)}::uuid[])
    on conflict (organization_id, namespace, entity_type, source_id) do update set entity_id = excluded.entity_id, bundle_id = excluded.bundle_id,
      data = excluded.data, action = excluded.action, updated_at = excluded.updated_at`);
}

/** A stretch of a bundle, by the places of its candidates. */
interface Stretch {
  after: number;
  upTo: number;
}
const AT_ONCE = 10_000;

/** The stretches of a bundle that are looked at one after the other: all of a large one would take longer than a statement may. */
export async function stretchesOf(db: StatementRunner, bundleId: string): Promise<Stretch[]> {
  const row = await db.first(
    sql<{
      last: number;
    }>`select coalesce(max(position), 0) as last from import_candidate where organization_id = ${db.organizationId} and bundle_id = ${bundleId}`,
  );
  return Array.from({ length: Math.ceil(row!.last / AT_ONCE) }, (_, at) => ({ after: at * AT_ONCE, upTo: (at + 1) * AT_ONCE }));
}

const within = (tx: OrgTx, bundleId: string, { after, upTo }: Stretch) =>
  sql`c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.position > ${after} and c.position <= ${upTo}`;

/** What was not to be written is what it was. */
export async function keepUnchanged(tx: OrgTx, bundleId: string, stretch: Stretch): Promise<void> {
  await tx.all(sql`update import_candidate c set result_entity_id = c.chosen_entity_id where ${within(tx, bundleId, stretch)}
    and c.status = 'unchanged' and c.result_entity_id is null`);
}

/** What was merged into another row is what that one became. Its id is remembered as well, and those of what was not to be written. */
export async function keepTheRest(tx: OrgTx, bundle: { id: string; namespace: string }, stretch: Stretch): Promise<void> {
  await tx.all(sql`with became as materialized (select c.id, o.result_entity_id from import_candidate c
      cross join lateral (select one.result_entity_id from import_candidate one where one.organization_id = ${tx.organizationId} and one.id = c.merged_into_id limit 1) o
      where ${within(tx, bundle.id, stretch)} and c.merged_into_id is not null)
    update import_candidate c set result_entity_id = became.result_entity_id from became where c.organization_id = ${tx.organizationId} and c.id = became.id`);
  await tx.all(sql`insert into import_identity (organization_id, namespace, entity_type, source_id, entity_id, bundle_id, data, action, created_at, updated_at)
    select distinct on (c.entity_type, c.source_id) c.organization_id, ${bundle.namespace}, c.entity_type, c.source_id, c.result_entity_id, c.bundle_id, c.data,
      case c.status when 'unchanged' then 'unchanged' else 'merged' end, now(), now()
    from import_candidate c where ${within(tx, bundle.id, stretch)} and c.status in ('unchanged', 'duplicate_merged') and c.result_entity_id is not null
    order by c.entity_type, c.source_id, c.position
    on conflict (organization_id, namespace, entity_type, source_id) do nothing`);
}
