import type { BulkImportRow, BulkRowStatus, bulkImports } from "@freehold/contract/bulk-imports";
import type { FieldError } from "@freehold/contract/errors";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import type { Data } from "../validation/draft.ts";
import { findBulkImport } from "./bulk-imports.queries.ts";
import { inColumns, type Mapping } from "./validation/column-errors.rules.ts";

const status = sql`case when c.status in ('ambiguous', 'missing_source_data', 'invalid', 'blocked') then 'error'
  when c.status = 'ready_create' and c.result_entity_id is not null then 'created' when c.status = 'ready_update' and c.result_entity_id is not null then 'updated'
  else c.status end`;

interface CandidateRow extends Omit<BulkImportRow, "status" | "data"> {
  status: BulkRowStatus;
  data: Data;
  extra: Data;
  mapping: Mapping;
}

const columns = sql`c.row_number, ${status} as status, c.errors, c.changes, coalesce(c.result_entity_id, c.chosen_entity_id) as entity_id, c.data, c.extra, c.updated_at, f.mapping`;
const from = sql`import_candidate c join import_file f on f.organization_id = c.organization_id and f.id = c.file_id`;

const view = ({ mapping, extra, data, errors, ...row }: CandidateRow): BulkImportRow => ({
  ...row,
  errors: inColumns(errors, mapping),
  data: Object.keys(extra).length > 0 ? { ...data, extra } : data,
});

/** A page of the rows of an import that are judged, in the order of its file. */
export async function pageOfRows(
  db: OrgDb,
  id: string,
  query: QueryOf<(typeof bulkImports)["operations"]["listBulkImportRows"]>,
): Promise<Page<BulkImportRow>> {
  await findBulkImport(db, id);
  const found = await listPage<CandidateRow>(db, query, {
    select: columns,
    from,
    table: "c",
    where: [
      ...listConditions(db, "c", query, false),
      sql`c.bundle_id = ${id}`,
      sql`c.status is not null`,
      query.status !== undefined && sql`${status} = any(${query.status})`,
    ],
    sorts: { rowNumber: sql`c.position`, updatedAt: sql`c.updated_at` },
  });
  return { ...found, rows: found.rows.map(view) };
}

const AT_ONCE = 1_000;
/** The column that says what is wrong; of a file that was mended it is not asked for again. */
const ERRORS = "errors";

/** The rows with errors as they came, and what is wrong with each. */
export async function bulkImportErrors(db: OrgDb, id: string): Promise<{ columns: string[]; rows: AsyncIterable<Record<string, string>[]> }> {
  await findBulkImport(db, id);
  const { header, mapping } = (await db.first(sql<{ header: string[]; mapping: Mapping }>`select header, mapping from import_file
    where organization_id = ${db.organizationId} and bundle_id = ${id}`))!;
  const own = header.flatMap((name, index) => (name.toLowerCase() === ERRORS ? [] : [{ name, index }]));
  const rows = async function* () {
    for (let after = 0; ;) {
      const found = await db.all(sql<{ position: number; cells: string[]; errors: FieldError[] }>`select c.position, c.cells, c.errors from import_candidate c
        where c.organization_id = ${db.organizationId} and c.bundle_id = ${id} and c.position > ${after} and ${status} = 'error' order by c.position limit ${AT_ONCE}`);
      if (found.length === 0) return;
      after = found.at(-1)!.position;
      yield found.map(({ cells, errors }) => ({
        ...Object.fromEntries(own.map(({ name, index }) => [name, cells[index] ?? ""])),
        [ERRORS]: inColumns(errors, mapping)
          .map(({ path, message }) => (message.includes(path) ? message : `${path}: ${message}`))
          .join(" "),
      }));
    }
  };
  return { columns: [...own.map(({ name }) => name), ERRORS], rows: rows() };
}
