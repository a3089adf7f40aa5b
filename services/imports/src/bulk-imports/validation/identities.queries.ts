/** What earlier files said of ids. */
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { BULK_NAMESPACE } from "../bulk-import.rules.ts";

/** The records that may be meant by these ids: those that bulk imports gave them to, or else those that any bundle did. */
export async function recordsByIds(db: StatementRunner, entityType: ImportEntityType, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.all(sql<{
    sourceId: string;
    entityId: string;
    isOurs: boolean;
  }>`select distinct source_id, entity_id, namespace = ${BULK_NAMESPACE} as is_ours
    from import_identity where organization_id = ${db.organizationId} and entity_type = ${entityType} and source_id = any(${[...new Set(ids)]})
      and (namespace = ${BULK_NAMESPACE} or source_id not like '~%')`);
  return new Map(
    [...Map.groupBy(rows, ({ sourceId }) => sourceId)].map(([id, known]) => {
      const ours = known.filter(({ isOurs }) => isOurs);
      return [id, [...new Set((ours.length > 0 ? ours : known).map(({ entityId }) => entityId))]];
    }),
  );
}

/** Lets go of ids whose records are not there any more. */
export const forgetIds = (tx: OrgTx, entityType: ImportEntityType, sourceIds: readonly string[]): Promise<unknown[]> =>
  tx.all(sql`delete from import_identity where organization_id = ${tx.organizationId} and namespace = ${BULK_NAMESPACE}
    and entity_type = ${entityType} and source_id = any(${[...sourceIds]})`);

/** Of these rows, which are to be new, those that another import has written since they were judged. */
export async function writtenMeanwhile(db: StatementRunner, bundleId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(sql<{ id: string }>`select c.id from import_candidate c
    join import_identity i on i.organization_id = c.organization_id and i.namespace = ${BULK_NAMESPACE} and i.entity_type = c.entity_type and i.source_id = c.source_id
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.id = any(${[...ids]}::uuid[]) and c.status = 'ready_create'`);
  return new Set(rows.map(({ id }) => id));
}
