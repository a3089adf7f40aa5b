/** Rows of one file that say the same. */
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** What may well be there twice: two charges of one amount on one day are two. */
const repeatable = new Set<ImportEntityType>(["charge", "payment", "work_order"]);

/**
 * Numbers rows without ids that may well be alike, so that the same file means the same records again; of all others the
 * first stands, and the later ones say which it is.
 */
export async function refuseRepeats(tx: OrgTx, bundleId: string, entityType: ImportEntityType): Promise<void> {
  const ours = sql`c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType}`;
  if (repeatable.has(entityType))
    await tx.all(sql`with alike as materialized (select id, row_number() over (partition by source_id order by position) as place
        from import_candidate c where ${ours} and c.is_derived)
      update import_candidate c set source_id = c.source_id || '/' || alike.place from alike where c.organization_id = ${tx.organizationId} and c.id = alike.id`);
  await refuse(tx, ours, sql`c.source_id`);
  if (!repeatable.has(entityType)) await refuse(tx, ours, sql`c.natural_key`);
}

const refuse = (tx: OrgTx, ours: RawBuilder<unknown>, key: RawBuilder<unknown>) =>
  tx.all(sql`with alike as (select id, link_errors, first_value(row_number) over rows_alike as first_row, first_value(id) over rows_alike as first_id
        from import_candidate c where ${ours} and ${key} is not null window rows_alike as (partition by ${key} order by position)),
      later as materialized (select id, first_row from alike where id <> first_id and not link_errors @> '[{"code": "unique"}]')
    update import_candidate c set link_errors = c.link_errors || jsonb_build_array(jsonb_build_object('path', 'source_id', 'code', 'unique',
      'message', 'Row ' || later.first_row || ' is the same already. Leave one of the two out, or give each an id of its own.'))
    from later where c.organization_id = ${tx.organizationId} and c.id = later.id`);
