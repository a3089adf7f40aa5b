/** Source ids of charges, payments, expenses and work orders without ids of their own. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { FieldValues } from "../draft.ts";
import { dayFieldOf, isPosted, type PostedType } from "./equal-records.rules.ts";
import { type EarlierRow, type EqualRow, isRepeatable, numberEqualRows } from "./equal-rows.rules.ts";

const KEYS_PER_STATEMENT = 5_000;

interface Bundle {
  id: string;
  namespace: string;
}

const listEarlierRows = (db: StatementRunner, { id, namespace }: Bundle, entityType: ImportEntityType, keys: readonly string[]) =>
  db.all(sql<EarlierRow & { key: string }>`select i.equal_rows_key as key, i.source_id, i.data from import_identity i
    where i.organization_id = ${db.organizationId} and i.namespace = ${namespace} and i.entity_type = ${entityType} and i.equal_rows_key = any(${[...keys]})
      and not exists (select from import_candidate c where c.organization_id = i.organization_id and c.bundle_id = ${id} and c.entity_type = i.entity_type
        and c.source_id = i.source_id and c.source_id <> i.equal_rows_key)
      and not exists (select from import_identity other join import_candidate c on c.organization_id = other.organization_id and c.bundle_id = ${id}
          and c.entity_type = other.entity_type and c.source_id = other.source_id and not c.is_derived
        where other.organization_id = i.organization_id and other.namespace = ${namespace} and other.entity_type = ${entityType} and other.entity_id = i.entity_id
          and other.source_id <> i.source_id)
    order by i.is_deleted, i.created_at, i.source_id`);

/**
 * Gives the rows of one subject, day and amount one key, however they name the subject: the key under which an earlier import wrote a record, if there
 * is one.
 */
const unifyKeys = (tx: OrgTx, bundle: Bundle, entityType: PostedType) =>
  tx.all(sql`with keyed as materialized (select c.id, c.source_id, jsonb_build_array(coalesce(of_row.link ->> 'entityId', target.chosen_entity_id::text, of_row.link ->> 'candidateId'),
        c.data -> ${dayFieldOf(entityType)}::text, c.data -> 'amount', c.links -> 'vendor') as values
      from import_candidate c
      cross join lateral (select case c.entity_type when 'expense' then coalesce(c.links -> 'unit', c.links -> 'property') else c.links -> 'lease' end as link) of_row
      left join import_candidate target on target.organization_id = c.organization_id and target.id = (of_row.link ->> 'candidateId')::uuid
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.entity_type = ${entityType} and c.is_derived
        and of_row.link is not null and right(c.source_id, 1) = '/'),
    divided as (select values, array_agg(distinct source_id) as keys from keyed group by values having min(source_id) <> max(source_id)),
    unified as materialized (select divided.values, (select k.key from unnest(divided.keys) as k (key)
        order by exists (select from import_identity i where i.organization_id = ${tx.organizationId} and i.namespace = ${bundle.namespace}
          and i.entity_type = ${entityType} and i.equal_rows_key = k.key) desc, k.key limit 1) as key from divided)
    update import_candidate c set source_id = unified.key from unified join keyed on keyed.values = unified.values and keyed.source_id <> unified.key
    where c.organization_id = ${tx.organizationId} and c.id = keyed.id`);

/** Returns the next keys of rows in alphabetical order. */
const listKeysAfter = (db: StatementRunner, bundleId: string, entityType: ImportEntityType, lastKey: string) =>
  db.all(sql<{ key: string; count: number }>`select c.source_id as key, count(*)::int as count from import_candidate c
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType} and c.is_derived
      and c.source_id > ${lastKey} and right(c.source_id, 1) = '/' group by 1 order by 1 limit ${KEYS_PER_STATEMENT}`);

/**
 * Numbers the rows of a type without ids of their own, so that equal rows are different records and rows that earlier imports of the namespace wrote
 * keep their ids. Called once for each validation, before rows of one id are merged.
 */
export async function numberRows(tx: OrgTx, bundle: Bundle, entityType: ImportEntityType): Promise<void> {
  if (!isRepeatable(entityType)) return;
  if (isPosted(entityType)) await unifyKeys(tx, bundle, entityType);
  for (let lastKey = ""; ;) {
    const keys = await listKeysAfter(tx, bundle.id, entityType, lastKey);
    if (keys.length === 0) return;
    lastKey = keys.at(-1)!.key;
    const records = Map.groupBy(
      await listEarlierRows(
        tx,
        bundle,
        entityType,
        keys.map(({ key }) => key),
      ),
      ({ key }) => key,
    );
    const repeated = keys.flatMap(({ key, count }) => (count > 1 || records.has(key) ? [key] : []));
    if (repeated.length === 0) continue;
    const rows = await tx.all(sql<EqualRow & { key: string }>`select c.id, c.file_id, c.data, c.source_id as key from import_candidate c
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.entity_type = ${entityType} and c.is_derived
        and c.source_id = any(${repeated}) order by c.position`);
    const ids = [...Map.groupBy(rows, ({ key }) => key)].flatMap(([key, group]) =>
      [...numberEqualRows(entityType, key, group, records.get(key) ?? [])].filter(([, sourceId]) => sourceId !== key),
    );
    await tx.all(sql`update import_candidate c set source_id = numbered.source_id
      from unnest(${ids.map(([id]) => id)}::uuid[], ${ids.map(([, sourceId]) => sourceId)}::text[]) as numbered (id, source_id)
      where c.organization_id = ${tx.organizationId} and c.id = numbered.id`);
  }
}

/** Returns the source id of one edited row. While a bundle is validated that is the key, because its rows are numbered later. */
export async function numberEditedRow(
  tx: OrgTx,
  bundleId: string,
  { id, entityType }: { id: string; entityType: ImportEntityType },
  key: string,
  data: FieldValues,
): Promise<string> {
  const bundle = await tx.first(sql<Bundle>`select id, source_namespace as namespace from import_bundle
    where organization_id = ${tx.organizationId} and id = ${bundleId} and status = 'ready'`);
  if (!bundle) return key;
  const others = await tx.all(sql<{ sourceId: string }>`select c.source_id from import_candidate c where c.organization_id = ${tx.organizationId}
    and c.bundle_id = ${bundleId} and c.entity_type = ${entityType} and c.id <> ${id} and c.is_derived and regexp_replace(c.source_id, '[0-9]+$', '') = ${key}`);
  const taken = new Set(others.map(({ sourceId }) => sourceId));
  const records = (await listEarlierRows(tx, bundle, entityType, [key])).filter(({ sourceId }) => !taken.has(sourceId));
  return numberEqualRows(entityType, key, [{ id, fileId: null, data }], records, taken).get(id)!;
}
