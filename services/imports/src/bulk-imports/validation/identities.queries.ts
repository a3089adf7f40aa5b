/** Queries of the identities that earlier imports stored: the record of each source id. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { BULK_NAMESPACE } from "../bulk-import.rules.ts";

/**
 * Returns the ids of the records of each source id. Identities of bulk imports take precedence over those of bundles; identities of
 * bundles with a derived source id (`~…`) are ignored.
 */
export async function findRecordsBySourceId(db: StatementRunner, entityType: ImportEntityType, sourceIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.all(sql<{
    sourceId: string;
    entityId: string;
    isBulk: boolean;
  }>`select distinct source_id, entity_id, namespace = ${BULK_NAMESPACE} as is_bulk
    from import_identity where organization_id = ${db.organizationId} and entity_type = ${entityType} and source_id = any(${[...new Set(sourceIds)]})
      and not is_deleted and (namespace = ${BULK_NAMESPACE} or source_id not like '~%')`);
  return new Map(
    [...Map.groupBy(rows, ({ sourceId }) => sourceId)].map(([sourceId, identities]) => {
      const bulkIdentities = identities.filter(({ isBulk }) => isBulk);
      return [sourceId, [...new Set((bulkIdentities.length > 0 ? bulkIdentities : identities).map(({ entityId }) => entityId))]];
    }),
  );
}

/** Marks the records of bulk imports with these source ids as deleted. */
export const markIdentitiesDeleted = (tx: OrgTx, entityType: ImportEntityType, sourceIds: readonly string[]): Promise<unknown[]> =>
  tx.all(sql`update import_identity set is_deleted = true where organization_id = ${tx.organizationId} and namespace = ${BULK_NAMESPACE}
    and entity_type = ${entityType} and source_id = any(${[...sourceIds]})`);

/** Returns the ids of the candidates that would create a record whose source id another bulk import has written since their evaluation. */
export async function findAlreadyWritten(db: StatementRunner, bundleId: string, candidateIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(sql<{ id: string }>`select c.id from import_candidate c
    join import_identity i on i.organization_id = c.organization_id and i.namespace = ${BULK_NAMESPACE} and i.entity_type = c.entity_type and i.source_id = c.source_id and not i.is_deleted
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.id = any(${[...candidateIds]}::uuid[]) and c.status = 'ready_create'`);
  return new Set(rows.map(({ id }) => id));
}
