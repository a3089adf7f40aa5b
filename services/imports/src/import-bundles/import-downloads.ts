/** CSV downloads of a bundle: the candidates that cannot be written, and the record of each source id. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { getImportBundle } from "./import-bundles.queries.ts";

const BATCH_SIZE = 1_000;

type Line = Record<string, string | number | null>;

/** Yields the lines of a bundle in batches of candidates; all lines of a candidate are in the same batch. */
async function* streamLines(
  db: OrgDb,
  bundleId: string,
  columns: RawBuilder<unknown>,
  joins: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): AsyncGenerator<Line[]> {
  for (let lastPosition = 0; ;) {
    const rows = await db.all(sql<Line & { position: number }>`select c.position, ${columns}
      from (select * from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.position > ${lastPosition} and ${where}
        order by c.position limit ${BATCH_SIZE}) c ${joins} order by c.position`);
    if (rows.length === 0) return;
    lastPosition = rows.at(-1)!.position;
    yield rows;
  }
}

export interface CsvDownload {
  columns: readonly string[];
  rows: AsyncIterable<Line[]>;
}

/** Returns the candidates that are ambiguous, invalid, blocked or lack required values, with one line for each error. Throws 404 for an unknown bundle. */
export async function exportFailures(db: OrgDb, id: string): Promise<CsvDownload> {
  await getImportBundle(db, id);
  const columns = ["file", "row", "entityType", "sourceId", "status", "code", "message"];
  const joins = sql`left join import_file f on f.organization_id = c.organization_id and f.id = c.file_id
    left join lateral jsonb_to_recordset(c.errors) as e (path text, code text, message text) on true`;
  const select = sql`f.file_name as file, c.row_number as row, c.entity_type, c.source_id, c.status, coalesce(e.code, c.status) as code,
    coalesce(e.path || ': ' || e.message, case when c.status = 'ambiguous' and jsonb_array_length(c.matches) = 1 then 'A record may be the same, but is not certain to be. Choose it, or create a new one.'
      when c.status = 'ambiguous' then 'Several records match. Choose one of them, or create a new one.'
      else 'A record that this row depends on was not written.' end) as message`;
  return { columns, rows: streamLines(db, id, select, joins, sql`c.status in ('ambiguous', 'missing_source_data', 'invalid', 'blocked')`) };
}

/** Returns the record of each source id that the bundle has written so far. Throws 404 for an unknown bundle. */
export async function exportIdentityMap(db: OrgDb, id: string): Promise<CsvDownload> {
  const { sourceNamespace } = await getImportBundle(db, id);
  const columns = ["entityType", "sourceNamespace", "sourceId", "serviceId", "action"];
  const select = sql`c.entity_type, ${sourceNamespace}::text as source_namespace, c.source_id, c.result_entity_id as service_id,
    case c.status when 'unchanged' then 'unchanged' when 'ready_update' then 'updated' when 'duplicate_merged' then 'merged' else 'created' end as action`;
  return { columns, rows: streamLines(db, id, select, sql``, sql`c.result_entity_id is not null`) };
}
