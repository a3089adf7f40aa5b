/** What a bundle left behind, as CSV: what was not written and why, and what each id of the old system is now. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { findBundle } from "./import-bundles.queries.ts";

const AT_ONCE = 1_000;

type Line = Record<string, string | number | null>;

/** Lines of a bundle's candidates, a thousand candidates at a time, each with all its lines. */
async function* lines(
  db: OrgDb,
  bundleId: string,
  columns: RawBuilder<unknown>,
  from: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): AsyncGenerator<Line[]> {
  for (let after = 0; ;) {
    const rows = await db.all(sql<Line & { position: number }>`select c.position, ${columns}
      from (select * from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.position > ${after} and ${where}
        order by c.position limit ${AT_ONCE}) c ${from} order by c.position`);
    if (rows.length === 0) return;
    after = rows.at(-1)!.position;
    yield rows;
  }
}

export interface Download {
  columns: readonly string[];
  rows: AsyncIterable<Line[]>;
}

/** Every row that was not or cannot be written, a line for each reason; they can be mended and imported again under the same namespace. */
export async function importFailures(db: OrgDb, id: string): Promise<Download> {
  await findBundle(db, id);
  const columns = ["file", "row", "entityType", "sourceId", "status", "code", "message"];
  const reasons = sql`left join import_file f on f.organization_id = c.organization_id and f.id = c.file_id
    left join lateral jsonb_to_recordset(c.errors) as e (path text, code text, message text) on true`;
  const said = sql`f.file_name as file, c.row_number as row, c.entity_type, c.source_id, c.status, coalesce(e.code, c.status) as code,
    coalesce(e.path || ': ' || e.message, case c.status when 'ambiguous' then 'Several records fit. Choose one, or have a new one made.'
      else 'Something that this depends on was not written.' end) as message`;
  return { columns, rows: lines(db, id, said, reasons, sql`c.status in ('ambiguous', 'missing_source_data', 'invalid', 'blocked')`) };
}

/** Which record each source id of the bundle is. Empty until the bundle is written. */
export async function importIdentityMap(db: OrgDb, id: string): Promise<Download> {
  const { sourceNamespace } = await findBundle(db, id);
  const columns = ["entityType", "sourceNamespace", "sourceId", "serviceId", "action"];
  const said = sql`c.entity_type, ${sourceNamespace}::text as source_namespace, c.source_id, c.result_entity_id as service_id,
    case c.status when 'ready_create' then 'created' when 'ready_update' then 'updated' when 'duplicate_merged' then 'merged' else 'unchanged' end as action`;
  return { columns, rows: lines(db, id, said, sql``, sql`c.result_entity_id is not null`) };
}
