/** Bundles with rows of the same records: of two that were validated before either was written, the second would write the records once more. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { linkedRecord, subjectRecord } from "../validation/references/linked-records.queries.ts";

/** Text without regard to case, punctuation and spaces. */
const simplified = (text: RawBuilder<unknown>) => sql`regexp_replace(lower(${text}), '[^[:alnum:]]+', '', 'g')`;

/** Keys of the candidate `c` by the types that have them: rows of two bundles with one key are likely to be one record. */
const recordKeys: readonly (readonly [entityTypes: readonly string[], key: RawBuilder<unknown>])[] = [
  [["property", "owner", "vendor", "tenant"], sql`c.name_key`],
  [["owner", "vendor", "tenant"], sql`c.data ->> 'email'`],
  [["property"], simplified(sql`c.data ->> 'street_line1'`)],
  [["unit"], sql`${linkedRecord("property")} || '/' || ${simplified(sql`c.data ->> 'unit_number'`)}`],
  [["lease"], sql`${linkedRecord("unit")} || '/' || (c.data ->> 'start_date')`],
];

/** Tells whether two bundles have a row of the same source id, of which the first bundle has written a record. */
export async function haveSameSourceIds(db: StatementRunner, writtenId: string, otherId: string): Promise<boolean> {
  const same = await db.first(sql`select 1 as one from import_candidate written
    join import_candidate other on other.organization_id = written.organization_id and other.bundle_id = ${otherId} and other.entity_type = written.entity_type
      and other.source_id = written.source_id
    where written.organization_id = ${db.organizationId} and written.bundle_id = ${writtenId} and written.status in ('ready_create', 'ready_update')
      and written.result_entity_id is not null limit 1`);
  return same !== undefined;
}

/** Tells whether two bundles create a record that is likely to be the same, by name, e-mail address, address, number or first day. */
export async function haveSameRecords(db: StatementRunner, writtenId: string, otherId: string): Promise<boolean> {
  for (const [entityTypes, key] of recordKeys) {
    const keysOf = (bundleId: string) => sql`select c.entity_type, ${key} from import_candidate c where c.organization_id = ${db.organizationId}
      and c.bundle_id = ${bundleId} and c.entity_type = any(${[...entityTypes]}) and c.status = 'ready_create' and ${key} is not null`;
    // An intersection reads each bundle once, whatever the planner expects of them.
    if (await db.first(sql`select 1 as one from (${keysOf(writtenId)} intersect ${keysOf(otherId)}) same limit 1`)) return true;
  }
  return false;
}

/** Tells whether the second bundle would post something on the same lease, day and amount as the first one has posted under other ids. */
export async function haveSamePostings(db: StatementRunner, writtenId: string, otherId: string): Promise<boolean> {
  const postingsOf = (
    bundleId: string,
  ) => sql`select c.entity_type, ${subjectRecord}, coalesce(c.data ->> 'received_date', c.data ->> 'date'), c.data ->> 'amount' from import_candidate c
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.entity_type in ('charge', 'payment', 'expense')
      and coalesce(c.status, 'ready_create') = 'ready_create' and ${subjectRecord} is not null`;
  return (await db.first(sql`select 1 as one from (${postingsOf(writtenId)} intersect ${postingsOf(otherId)}) same limit 1`)) !== undefined;
}

/** Returns the bundles of other namespaces that are being written. */
export const listRunningBundles = (db: StatementRunner, bundle: { id: string; namespace: string }): Promise<{ id: string }[]> =>
  db.all(sql<{ id: string }>`select id from import_bundle where organization_id = ${db.organizationId} and id <> ${bundle.id} and mode is null
    and status in ('queued', 'processing') and source_namespace <> ${bundle.namespace} order by id`);

/** Lets one bundle of the organization be started at a time, until the end of the transaction. */
export const lockStarts = (db: StatementRunner): Promise<unknown> =>
  db.all(sql`select pg_advisory_xact_lock(hashtextextended(${`import starts ${db.organizationId}`}, 0))`);
