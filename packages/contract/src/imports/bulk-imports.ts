import { z } from "zod";
import { FieldError } from "../errors.ts";
import { operationGroup, body } from "../operation.ts";
import { progressOf } from "./progress.schema.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, QueryBoolean, Id, Instant, listQuery, page, Search } from "../values.ts";

/** Types of records that a file can contain; all rows of a file have the same type. */
export const bulkEntityTypes = [
  "properties",
  "units",
  "owners",
  "tenants",
  "vendors",
  "leases",
  "charges",
  "payments",
  "expenses",
  "recurring_charges",
  "work_orders",
] as const;
export type BulkEntityType = (typeof bulkEntityTypes)[number];

export const bulkImportStatuses = ["validating", "ready", "processing", "completed", "completed_with_errors", "failed", "cancelled"] as const;
export type BulkImportStatus = (typeof bulkImportStatuses)[number];

export const bulkRowStatuses = ["ready_create", "ready_update", "unchanged", "error", "created", "updated"] as const;
export type BulkRowStatus = (typeof bulkRowStatuses)[number];

export const bulkImportModes = ["create", "upsert"] as const;
export type BulkImportMode = (typeof bulkImportModes)[number];

/** Maximum size of an uploaded file: 20 MiB. */
export const BULK_FILE_MAX_BYTES = 20_971_520;
/** Maximum number of rows of an uploaded file. */
export const MAX_BULK_ROWS = 50_000;

const entityType = z.enum(bulkEntityTypes).describe("Type of the records in the file.");
const mode = z.enum(bulkImportModes);
const MODE_DESCRIPTION =
  "Handling of rows whose record already exists: with `create` they are errors; with `upsert` they change the existing record, or leave it unchanged when nothing differs.";

export const BulkImport = z
  .strictObject({
    id: Id.describe("ID of the bulk import."),
    organizationId: Id.describe("ID of the organization the bulk import belongs to."),
    entityType,
    mode: mode.describe(MODE_DESCRIPTION),
    dryRun: z
      .boolean()
      .describe("Indicates that the import waits in the status `ready` until it is started; otherwise the valid rows are written after the validation."),
    fileName: z.string().describe("Name of the uploaded file."),
    sizeBytes: z.int().min(0).describe("Size of the file in bytes."),
    status: z
      .enum(bulkImportStatuses)
      .describe(
        "Status of the bulk import. `validating` checks the rows; `ready` awaits the start; `processing` is being written; `completed_with_errors` means that some rows were not written; `failed` means that the import stopped with `error`.",
      ),
    progress: progressOf("`reading`, `matching`, `judging` or `writing`"),
    totalRows: z.int().min(0).describe("Number of rows with data, without blank rows and totals."),
    validRows: z.int().min(0).describe("Number of rows without errors; 0 until the rows are validated."),
    errorRows: z.int().min(0).describe("Number of rows with errors, listed in `errors.csv`; 0 until the rows are validated."),
    createdCount: z.int().min(0).describe("Number of records created."),
    updatedCount: z.int().min(0).describe("Number of records updated."),
    unmappedColumns: z.array(z.string()).describe("Columns that are not recognized. Their values are not imported."),
    error: z.string().nullable().describe("Reason of the failure. Null unless the status is `failed`."),
    createdByUserId: Id.nullable().describe("ID of the user or service key that created the bulk import, or null."),
    createdAt: Instant.describe("Time at which the bulk import was created."),
    updatedAt: Instant.describe("Time at which the bulk import was last changed."),
    startedAt: Instant.nullable().describe("Time at which the writing was started. Null until then."),
    completedAt: Instant.nullable().describe("Time at which the writing was completed. Null until then."),
  })
  .meta({ id: "BulkImport", description: "Import of a file with records of one type." });
export type BulkImport = z.output<typeof BulkImport>;

export const BulkImportRow = z
  .strictObject({
    rowNumber: z.int().min(1).describe("Row number in the file, counted from 1 as in a spreadsheet."),
    status: z
      .enum(bulkRowStatuses)
      .describe(
        "Status of the row. `ready_create` and `ready_update` are valid and become `created` and `updated` when they are written; `unchanged` equals the existing record; `error` is not written.",
      ),
    errors: z.array(FieldError).describe("Errors of the row by column of the file."),
    changes: z
      .array(
        z.strictObject({
          field: z.string().describe("Field of the template."),
          from: z.string().nullable().describe("Value of the existing record, or null when it has none."),
          to: z.string().nullable().describe("Value in the row, or null when it has none."),
        }),
      )
      .describe("Fields in which the row differs from the existing record."),
    entityId: Id.nullable().describe("ID of the record the row matches or created. Null when there is none."),
    data: z
      .record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]))
      .describe("Fields of the template, normalized to its formats: `1095.00`, `2026-01-31`, `yes`. `extra` contains the columns that are not recognized."),
    updatedAt: Instant.describe("Time at which the row was last changed."),
  })
  .meta({ id: "BulkImportRow", description: "Row of a bulk import with its result." });
export type BulkImportRow = z.output<typeof BulkImportRow>;

const STAFF_NOTE = "Staff receive neither dates of birth nor columns that are not recognized.";
const bulkImportResponse = { bulkImport: BulkImport };
export const bulkImports = operationGroup("Bulk imports", "imports", {
  getBulkImportTemplate: {
    method: "GET",
    path: "/api/bulk-imports/templates/{entityType}.csv",
    summary: "download bulk import templates",
    access: officeRoles,
    description: "Returns a CSV file with the column names and one example row. Columns may be in any order, and optional columns may be omitted.",
    params: z.object({ entityType }),
    response: {},
    contentType: "text/csv",
    streams: true,
  },
  listBulkImports: {
    method: "GET",
    path: "/api/bulk-imports",
    summary: "list bulk imports",
    access: officeRoles,
    query: listQuery(["createdAt", "fileName", "status"], {
      search: Search.optional().describe("Return only bulk imports whose file name contains this text, ignoring case."),
      status: csvEnum(bulkImportStatuses).optional().describe("Return only bulk imports with these statuses, repeated or comma-separated."),
      entityType: csvEnum(bulkEntityTypes).optional().describe("Return only bulk imports of these record types, repeated or comma-separated."),
      mode: csvEnum(bulkImportModes).optional().describe("Return only bulk imports with these modes, repeated or comma-separated."),
    }),
    response: page("bulkImports", BulkImport),
  },
  createBulkImport: {
    method: "POST",
    path: "/api/bulk-imports",
    summary: "create bulk imports",
    access: adminsAndManagers,
    description: [
      "Accepts one CSV file (delimited by commas, semicolons, tabs or vertical bars; in UTF-8, UTF-16 or Windows-1252) of at most 20 MiB and 50,000 rows of one type. A missing required column is refused at once. The rows are validated after the response: with `dryRun`, the import then waits in the status `ready` for its start; otherwise the valid rows are written immediately.",
      "Rows reference related records by name, by ID, or by the ID used in an earlier file of any import: units, work orders and expenses reference their property, work orders and expenses also a unit and the vendor; leases their unit and tenant (by name or e-mail address); charges, payments and recurring charges the unit and, where several tenants have lived there, the tenant. A reference that matches several records is an error of the row.",
      "An existing record is recognized by the column `id` (the ID in Freehold, or the ID used in an earlier bulk import), by an earlier import of the same row, and by unique values: the unit number within a property, the first day of a lease within a unit, an e-mail address, an address, and the name of a property or vendor. Posted amounts and a rent in effect are never changed. The `status` of a lease or work order applies only to new records.",
    ].join("\n\n"),
    uploads: { maxBytes: BULK_FILE_MAX_BYTES },
    body: body({
      entityType,
      file: z.file().describe("CSV file to import."),
      mode: mode.default("create").describe(MODE_DESCRIPTION),
      dryRun: QueryBoolean.default(true).describe("Validates the rows only; the import is written when it is started."),
    }),
    response: bulkImportResponse,
    idempotent: true,
    streams: true,
  },
  getBulkImport: { method: "GET", path: "/api/bulk-imports/{id}", summary: "read a bulk import", access: officeRoles, response: bulkImportResponse },
  listBulkImportRows: {
    method: "GET",
    path: "/api/bulk-imports/{id}/rows",
    summary: "list rows of bulk imports",
    access: officeRoles,
    description: `Returns the rows validated so far, by default in the order of the file. ${STAFF_NOTE}`,
    query: listQuery(["rowNumber", "updatedAt"], {
      status: csvEnum(bulkRowStatuses).optional().describe("Return only rows with these statuses, repeated or comma-separated."),
    }),
    response: page("rows", BulkImportRow),
  },
  startBulkImport: {
    method: "POST",
    path: "/api/bulk-imports/{id}/start",
    summary: "start bulk imports",
    access: adminsAndManagers,
    description:
      "Writes the valid rows of an import that is `ready`, subject to the rules of each resource and on behalf of the caller. Returns immediately. Rows refused by a rule become errors, and the import then ends as `completed_with_errors`. A row is written as a whole or not at all, and nobody is notified of imported history. The imports of an organization are written one after the other.",
    response: bulkImportResponse,
    errors: [409],
    idempotent: true,
  },
  cancelBulkImport: {
    method: "POST",
    path: "/api/bulk-imports/{id}/cancel",
    summary: "cancel bulk imports",
    access: adminsAndManagers,
    description: "Cancels the import before anything is written. Has no effect once writing has begun; the import is then returned unchanged.",
    response: bulkImportResponse,
    errors: [409],
  },
  getBulkImportErrors: {
    method: "GET",
    path: "/api/bulk-imports/{id}/errors.csv",
    summary: "download rows with errors",
    access: officeRoles,
    description: `Returns the rows with errors as in the uploaded file, with an additional column \`errors\`. The corrected file can be uploaded as a new import. ${STAFF_NOTE}`,
    response: {},
    contentType: "text/csv",
    streams: true,
  },
});
