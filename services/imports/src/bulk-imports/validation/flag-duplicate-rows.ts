/** Detection of rows of one file that denote the same record. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { isRepeatable } from "../../validation/source-ids/equal-rows.rules.ts";

/**
 * Adds an error to each row that has the source id or natural key of an earlier row. Equal rows of repeatable types without
 * source ids are numbered instead, so that a repeated import of the same file finds the same records.
 */
export async function flagDuplicateRows(tx: OrgTx, bundleId: string, entityType: ImportEntityType): Promise<void> {
  const rowCondition = sql`c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType}`;
  if (isRepeatable(entityType))
    await tx.all(sql`with numbered as materialized (select id, row_number() over (partition by source_id order by position) as nth
        from import_candidate c where ${rowCondition} and c.is_derived)
      update import_candidate c set source_id = c.source_id || '/' || numbered.nth from numbered where c.organization_id = ${tx.organizationId} and c.id = numbered.id`);
  if (!isRepeatable(entityType))
    await addDuplicateErrors(tx, rowCondition, sql`c.natural_key`, "If they are different records, correct the fields that identify them.");
  await addDuplicateErrors(tx, rowCondition, sql`c.source_id`, "If they are different records, give each its own id.");
}

const addDuplicateErrors = (tx: OrgTx, rowCondition: RawBuilder<unknown>, key: RawBuilder<unknown>, remedy: string) =>
  tx.all(sql`with keyed as (select id, link_errors, first_value(row_number) over same_key as first_row, first_value(id) over same_key as first_id
        from import_candidate c where ${rowCondition} and ${key} is not null window same_key as (partition by ${key} order by position)),
      duplicate as materialized (select id, first_row from keyed where id <> first_id and not link_errors @> '[{"code": "unique"}]')
    update import_candidate c set link_errors = c.link_errors || jsonb_build_array(jsonb_build_object('path', 'source_id', 'code', 'unique',
      'message', 'Row ' || duplicate.first_row || ' denotes the same record. Remove one of the rows. ' || ${remedy}::text))
    from duplicate where c.organization_id = ${tx.organizationId} and c.id = duplicate.id`);
