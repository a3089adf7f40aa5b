import type { BulkImport, bulkImports } from "@freehold/contract/imports/bulk-imports";
import type { ImportBundleStatus, ImportCounts } from "@freehold/contract/imports/import-bundles";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { speedColumns } from "../import-bundles/progress.queries.ts";
import { toBulkStatus, toBundleStatuses } from "./bulk-import.rules.ts";

type ImportProgress = BulkImport["progress"];

interface BulkImportRecord extends Omit<BulkImport, "status" | "progress" | "validRows" | "errorRows" | "createdCount" | "updatedCount">, ImportProgress {
  status: ImportBundleStatus;
  counts: ImportCounts;
  /** Number of records created while the import is being written or after its writing failed; 0 in every other status. */
  created: number;
  updated: number;
  version: number;
}

const columns = sql`b.id, b.organization_id, b.entity_type, b.mode, b.dry_run, f.file_name, f.size_bytes, b.status, b.phase, b.processed, b.total, b.counts,
  f.row_count as total_rows, (select coalesce(json_agg(h.name), '[]'::json) from jsonb_array_elements_text(f.header) h (name) where f.mapping ->> h.name is null) as unmapped_columns,
  w.created, w.updated, b.error, b.created_by_user_id, b.created_at, b.updated_at, b.started_at, b.completed_at, b.version, ${speedColumns}`;
const from = sql`import_bundle b join import_file f on f.organization_id = b.organization_id and f.bundle_id = b.id
  left join lateral (select count(*) filter (where c.status = 'ready_create') as created, count(*) filter (where c.status = 'ready_update') as updated
    from import_candidate c where b.status in ('processing', 'failed') and c.organization_id = b.organization_id and c.bundle_id = b.id and c.result_entity_id is not null) w on true`;

/** Converts a row to the API's view. In a completed import, every candidate with status `ready_create` or `ready_update` has been written. */
function bulkImportView({
  version,
  phase,
  processed,
  total,
  rowsPerSecond,
  estimatedEndAt,
  counts,
  created,
  updated,
  status: bundleStatus,
  ...row
}: BulkImportRecord): BulkImport {
  const status = toBulkStatus(bundleStatus);
  const errorRows = counts.ambiguous + counts.missing_source_data + counts.invalid + counts.blocked;
  const validRows = counts.ready_create + counts.ready_update + counts.unchanged;
  const isCompleted = status === "completed" || status === "completed_with_errors";
  const [createdCount, updatedCount] = isCompleted ? [counts.ready_create, counts.ready_update] : [created, updated];
  return withVersion(
    { ...row, status, progress: { phase, processed, total, rowsPerSecond, estimatedEndAt }, validRows, errorRows, createdCount, updatedCount },
    version,
  );
}

/** Returns a bulk import. Throws 404 for an unknown id and for other bundles. */
export async function getBulkImport(db: StatementRunner, id: string): Promise<BulkImport> {
  const row = await db.first(
    sql<BulkImportRecord>`select ${columns} from ${from} where b.organization_id = ${db.organizationId} and b.id = ${id} and b.mode is not null`,
  );
  if (!row) throw notFound("Bulk import");
  return bulkImportView(row);
}

/** Returns a page of bulk imports. The search covers file names. */
export async function listBulkImports(db: OrgDb, query: QueryOf<(typeof bulkImports)["operations"]["listBulkImports"]>): Promise<Page<BulkImport>> {
  const { search, status, entityType, mode } = query;
  const page = await listPage<BulkImportRecord>(db, query, {
    select: columns,
    from,
    table: "b",
    where: [
      ...listConditions(db, "b", query, false),
      sql`b.mode is not null`,
      search !== undefined && sql`f.file_name ilike ${containsPattern(search)}`,
      status !== undefined && sql`b.status = any(${toBundleStatuses(status)})`,
      entityType !== undefined && sql`b.entity_type = any(${entityType})`,
      mode !== undefined && sql`b.mode = any(${mode})`,
    ],
    sorts: { createdAt: sql`b.created_at`, fileName: sql`f.file_name`, status: sql`b.status` },
  });
  return { ...page, rows: page.rows.map(bulkImportView) };
}
