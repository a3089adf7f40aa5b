import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

const AT_ONCE = 20_000;

/** The candidates of a type that are one record, each with the one that stands for all: it has an id of its own if one of them has, else it came first. */
const same = (tx: OrgTx, bundleId: string, entityType: ImportEntityType, key: RawBuilder<unknown>, having: RawBuilder<unknown>) => sql`
  select id, keep from (
    select id, first_value(id) over one as keep, ${having} as is_one
    from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and entity_type = ${entityType} and merged_into_id is null and ${key} is not null
    window one as (partition by ${key} order by is_derived, position), every_one as (partition by ${key})
  ) judged where id <> keep and is_one limit ${AT_ONCE}`;

interface Joined {
  id: string;
  keep: string;
}

const join = (tx: OrgTx, found: RawBuilder<unknown>) =>
  tx.all(sql<Joined>`with found as materialized (${found})
    update import_candidate c set merged_into_id = found.keep, updated_at = now(), version = version + 1 from found
    where c.organization_id = ${tx.organizationId} and c.id = found.id returning c.id, c.merged_into_id as keep`);

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
  if (byKey.length > 0)
    await tx.all(sql`with gone as materialized (select * from unnest(${byKey.map(({ id }) => id)}::uuid[], ${byKey.map(({ keep }) => keep)}::uuid[]) as gone (id, keep))
      update import_candidate c set merged_into_id = gone.keep from gone where c.organization_id = ${tx.organizationId} and c.merged_into_id = gone.id`);
  return byKey.length === AT_ONCE;
}

/**
 * Gives the candidates that stand for several what they lack and the others have, the earlier row before the later. The
 * others are looked up for each by itself: a bundle that has just come in has no statistics to plan by.
 */
export async function fillFromMerged(tx: OrgTx, bundleId: string, candidateIds: readonly string[]): Promise<void> {
  const ids = await standingForSeveral(tx, candidateIds);
  if (ids.length === 0) return;
  const merged = (columns: RawBuilder<unknown>) =>
    sql`unnest(${ids}::uuid[]) as standing (id) cross join lateral (select ${columns} from import_candidate d
      where d.organization_id = ${tx.organizationId} and d.merged_into_id = standing.id offset 0) d`;
  for (const column of [sql`data`, sql`extra`, sql`links`])
    await tx.all(sql`with filled as materialized (select standing.id, jsonb_object_agg(e.key, e.value order by d.position desc) as value
        from ${merged(sql`d.${column} as said, d.position`)}, jsonb_each(d.said) e group by standing.id)
      update import_candidate c set ${column} = filled.value || c.${column} from filled
      where c.organization_id = ${tx.organizationId} and c.id = any(${ids}::uuid[]) and c.id = filled.id`);
  await tx.all(sql`insert into import_dependency (organization_id, bundle_id, candidate_id, depends_on_id)
    select ${tx.organizationId}, ${bundleId}, standing.id, x.depends_on_id from ${merged(sql`d.id as merged_id`)}
    cross join lateral (select one.depends_on_id from import_dependency one where one.organization_id = ${tx.organizationId} and one.candidate_id = d.merged_id offset 0) x
    on conflict do nothing`);
}

/** Those of the candidates that others were merged into. */
async function standingForSeveral(tx: OrgTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all(sql<{ id: string }>`select standing.id from unnest(${[...ids]}::uuid[]) as standing (id)
    cross join lateral (select from import_candidate d where d.organization_id = ${tx.organizationId} and d.merged_into_id = standing.id limit 1) d`);
  return rows.map(({ id }) => id);
}
