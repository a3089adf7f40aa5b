import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db";
import { sql, type RawBuilder } from "@freehold/kit/statement";

const AT_ONCE = 20_000;

/** The candidates of a type that are one record, each with the one that stands for all: it has an id of its own if one of them has, else it came first. */
const same = (tx: OrgTx, bundleId: string, entityType: ImportEntityType, key: RawBuilder<unknown>, having: RawBuilder<unknown>) => sql`
  select id, keep from (
    select id, first_value(id) over one as keep, ${having} as is_one
    from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and entity_type = ${entityType} and merged_into_id is null and ${key} is not null
    window one as (partition by ${key} order by is_derived, position), every_one as (partition by ${key})
  ) judged where id <> keep and is_one limit ${AT_ONCE}`;

const join = (tx: OrgTx, found: RawBuilder<unknown>) =>
  tx.all(sql`with found as materialized (${found})
    update import_candidate c set merged_into_id = found.keep, updated_at = now(), version = version + 1 from found where c.organization_id = ${tx.organizationId} and c.id = found.id returning 1`);

/**
 * Merges the candidates of a type that are the same record: by their ids, and by what they can be recognised by, unless two of
 * those have different ids of their own. Answers whether there is more to merge.
 */
export async function mergeCandidates(tx: OrgTx, bundleId: string, entityType: ImportEntityType): Promise<boolean> {
  const byId = await join(tx, same(tx, bundleId, entityType, sql`source_id`, sql`true`));
  if (byId.length === AT_ONCE) return true;
  const owned = sql`(min(source_id) filter (where not is_derived) over every_one) is not distinct from (max(source_id) filter (where not is_derived) over every_one)`;
  const byKey = await join(tx, same(tx, bundleId, entityType, sql`natural_key`, owned));
  // What was merged into one that is now merged itself follows it.
  await tx.all(sql`update import_candidate c set merged_into_id = k.merged_into_id from import_candidate k
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType} and c.merged_into_id = k.id
      and k.organization_id = ${tx.organizationId} and k.merged_into_id is not null`);
  return byKey.length === AT_ONCE;
}

/** Gives the candidates that stand for several what they lack and the others have, the earlier row before the later. */
export async function fillFromMerged(tx: OrgTx, bundleId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const column of [sql`data`, sql`extra`, sql`links`])
    await tx.all(sql`update import_candidate c set ${column} = filled.value || c.${column} from (
        select d.merged_into_id as id, jsonb_object_agg(e.key, e.value order by d.position desc) as value
        from import_candidate d, jsonb_each(d.${column}) e
        where d.organization_id = ${tx.organizationId} and d.bundle_id = ${bundleId} and d.merged_into_id = any(${[...ids]}::uuid[])
        group by d.merged_into_id) filled
      where c.organization_id = ${tx.organizationId} and c.id = filled.id`);
  await tx.all(sql`insert into import_dependency (organization_id, bundle_id, candidate_id, depends_on_id)
    select ${tx.organizationId}, ${bundleId}, d.merged_into_id, x.depends_on_id from import_candidate d
    join import_dependency x on x.organization_id = d.organization_id and x.candidate_id = d.id
    where d.organization_id = ${tx.organizationId} and d.merged_into_id = any(${[...ids]}::uuid[]) on conflict do nothing`);
}
