import type { BulkImportRow, BulkRowStatus, bulkImports } from "@freehold/contract/imports/bulk-imports";
import type { FieldError } from "@freehold/contract/errors";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import type { FieldValues } from "../validation/draft.ts";
import { getBulkImport } from "./bulk-imports.queries.ts";
import { type Mapping, toColumnErrors } from "./validation/column-errors.rules.ts";

const status = sql`case when c.status in ('ambiguous', 'missing_source_data', 'invalid', 'blocked') then 'error'
  when c.status = 'ready_create' and c.result_entity_id is not null then 'created' when c.status = 'ready_update' and c.result_entity_id is not null then 'updated'
  else c.status end`;

interface RowRecord extends Omit<BulkImportRow, "status" | "data"> {
  status: BulkRowStatus;
  data: FieldValues;
  extra: FieldValues;
  mapping: Mapping;
}

const columns = sql`c.row_number, ${status} as status, c.errors, c.changes, coalesce(c.result_entity_id, c.chosen_entity_id) as entity_id, c.data, c.extra, c.updated_at, f.mapping`;
const from = sql`import_candidate c join import_file f on f.organization_id = c.organization_id and f.id = c.file_id`;

/** Field that only admins and managers read. */
const RESTRICTED_FIELD = "date_of_birth";

/** Tells whether the caller reads everything in an uploaded file: dates of birth, and columns that are not recognized, which may contain anything. */
const readsWholeFile = ({ principal: { role } }: OrgDb): boolean => role === "admin" || role === "manager";

const rowView = ({ mapping, extra, data, errors, ...row }: RowRecord): BulkImportRow => ({
  ...row,
  errors: toColumnErrors(errors, mapping),
  data: Object.keys(extra).length > 0 ? { ...data, extra } : data,
});

function restrictedRowView({ data: { [RESTRICTED_FIELD]: _dateOfBirth, ...data }, changes, errors, ...row }: RowRecord): BulkImportRow {
  return rowView({ ...row, data, extra: {}, errors: errors.map(withoutCell), changes: changes.filter(({ field }) => field !== RESTRICTED_FIELD) });
}

/** Returns an error of the restricted field without the cell that its message quotes. */
const withoutCell = (error: FieldError): FieldError => (error.path === RESTRICTED_FIELD ? { ...error, message: `${RESTRICTED_FIELD} is not valid.` } : error);

/** Returns a page of the evaluated rows of a bulk import, by default in the order of the file. */
export async function listBulkImportRows(
  db: OrgDb,
  id: string,
  query: QueryOf<(typeof bulkImports)["operations"]["listBulkImportRows"]>,
): Promise<Page<BulkImportRow>> {
  await getBulkImport(db, id);
  const page = await listPage<RowRecord>(db, query, {
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
  return { ...page, rows: page.rows.map(readsWholeFile(db) ? rowView : restrictedRowView) };
}

const BATCH_SIZE = 1_000;
/** Column of the errors. It replaces the column of the same name in a file that was downloaded before and corrected. */
const ERRORS_COLUMN = "errors";

/** Exports the rows with errors with their original cells and an additional column for the errors. */
export async function exportBulkImportErrors(db: OrgDb, id: string): Promise<{ columns: string[]; rows: AsyncIterable<Record<string, string>[]> }> {
  await getBulkImport(db, id);
  const { header, mapping } = (await db.first(sql<{ header: string[]; mapping: Mapping }>`select header, mapping from import_file
    where organization_id = ${db.organizationId} and bundle_id = ${id}`))!;
  const isReadable = (name: string) => readsWholeFile(db) || (mapping[name] && mapping[name] !== RESTRICTED_FIELD);
  const originalColumns = header.flatMap((name, index) => (name.toLowerCase() === ERRORS_COLUMN || !isReadable(name) ? [] : [{ name, index }]));
  const rows = async function* () {
    for (let lastPosition = 0; ;) {
      const batch = await db.all(sql<{ position: number; cells: string[]; errors: FieldError[] }>`select c.position, c.cells, c.errors from import_candidate c
        where c.organization_id = ${db.organizationId} and c.bundle_id = ${id} and c.position > ${lastPosition} and ${status} = 'error' order by c.position limit ${BATCH_SIZE}`);
      if (batch.length === 0) return;
      lastPosition = batch.at(-1)!.position;
      yield batch.map(({ cells, errors }) => ({
        ...Object.fromEntries(originalColumns.map(({ name, index }) => [name, cells[index] ?? ""])),
        [ERRORS_COLUMN]: toColumnErrors(readsWholeFile(db) ? errors : errors.map(withoutCell), mapping)
          .map(({ path, message }) => (message.includes(path) ? message : `${path}: ${message}`))
          .join(" "),
      }));
    }
  };
  return { columns: [...originalColumns.map(({ name }) => name), ERRORS_COLUMN], rows: rows() };
}
