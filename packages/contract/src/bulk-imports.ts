import { z } from "zod";
import { FieldError } from "./errors.ts";
import { area, body } from "./operation.ts";
import { managers } from "./roles.ts";
import { anyOf, Flag, Id, Instant, listQuery, page, Search } from "./values.ts";

/** What a file can hold, one of them. */
export const bulkEntityTypes = [
  "properties",
  "units",
  "owners",
  "tenants",
  "vendors",
  "leases",
  "charges",
  "payments",
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

/** The largest file that is taken: 20 MiB. */
export const BULK_FILE_MAX_BYTES = 20_971_520;
export const BULK_ROWS_AT_MOST = 50_000;

const entityType = z.enum(bulkEntityTypes).meta({ description: "What a row of the file is." });
const mode = z
  .enum(bulkImportModes)
  .meta({ description: "`create`: a row that is there already is an error. `upsert`: it changes what is there, and what is like it stays as it is." });
const count = (description: string) => z.int().min(0).meta({ description });

export const BulkImport = z
  .strictObject({
    id: Id,
    organizationId: Id,
    entityType,
    mode,
    dryRun: z.boolean().meta({ description: "Whether it was to wait for its start once it was `ready`." }),
    fileName: z.string(),
    sizeBytes: z.int().min(0),
    status: z.enum(bulkImportStatuses),
    progress: z.strictObject({
      phase: z.string().nullable().meta({ description: "What is being done: `reading`, `matching`, `judging` or `writing`; null when nothing is." }),
      processed: z.int().min(0),
      total: z.int().min(0),
    }),
    totalRows: count("Rows with data, without blank rows and totals."),
    validRows: count("Rows that were written, will be, or need not be; 0 until they are judged."),
    errorRows: count("Rows that are in `errors.csv`; 0 until they are judged."),
    createdCount: count("Records that the rows became."),
    updatedCount: count("Records that the rows changed."),
    unmappedColumns: z.array(z.string()).meta({ description: "Columns that mean nothing here; they change nothing." }),
    error: z.string().nullable().meta({ description: "Why it failed." }),
    createdByUserId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    startedAt: Instant.nullable(),
    completedAt: Instant.nullable(),
  })
  .meta({ id: "BulkImport", description: "A file of records of one type on its way in." });
export type BulkImport = z.output<typeof BulkImport>;

export const BulkImportRow = z
  .strictObject({
    rowNumber: z.int().min(1).meta({ description: "The row of the file, as a spreadsheet counts." }),
    status: z.enum(bulkRowStatuses),
    errors: z.array(FieldError).meta({ description: "What is wrong, by the columns of the file." }),
    changes: z.array(z.strictObject({ field: z.string(), from: z.string().nullable(), to: z.string().nullable() })),
    entityId: Id.nullable().meta({ description: "The record that it is, or became." }),
    data: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])).meta({
      description: "What was read, in the words of the template: `1095.00`, `2026-01-31`, `yes`. `extra` holds the columns that mean nothing here.",
    }),
    updatedAt: Instant,
  })
  .meta({ id: "BulkImportRow", description: "A row of a bulk import, and what becomes of it." });
export type BulkImportRow = z.output<typeof BulkImportRow>;

const one = { bulkImport: BulkImport };
export const bulkImports = area("Bulk imports", "imports", {
  getBulkImportTemplate: {
    method: "GET",
    path: "/api/bulk-imports/templates/{entityType}.csv",
    summary: "download bulk import templates",
    access: managers,
    description: "The columns and one example row. Columns may be left out unless a row cannot be without them, and stand in any order.",
    params: z.object({ entityType }),
    returns: {},
    answers: "text/csv",
    streams: true,
  },
  listBulkImports: {
    method: "GET",
    path: "/api/bulk-imports",
    summary: "list bulk imports",
    access: managers,
    query: listQuery(
      ["createdAt", "fileName", "status"],
      {
        search: Search.optional().meta({ description: "Looks at names of files." }),
        status: anyOf(bulkImportStatuses).optional(),
        entityType: anyOf(bulkEntityTypes).optional(),
        mode: anyOf(bulkImportModes).optional(),
      },
      "desc",
    ),
    returns: page("bulkImports", BulkImport),
  },
  createBulkImport: {
    method: "POST",
    path: "/api/bulk-imports",
    summary: "create bulk imports",
    access: managers,
    description:
      "Takes one CSV file (commas, semicolons, tabs or bars; UTF-8, UTF-16 or Windows-1252) of at most 20 MiB and 50000 rows, all of one type. A column that is missing is told at once. The rows are judged after the answer: with `dryRun` the import then waits as `ready` for its start, without it what is valid is written at once. Rows name what they belong to by its name, its id here, or the id that an earlier file of whatever import gave it: units and work orders their property, leases their unit and tenant (by name or e-mail address), charges, payments and recurring charges the unit and, where several have lived there, the tenant. What several records fit is an error of its row. A row is recognised by its `id` (the one here, or the one that an earlier bulk import gave it), by what an earlier file made of the same row, and by what no two records share: a unit's number in its property, a lease's first day in its unit, an e-mail address, an address, a property's and a vendor's name. What was posted is never changed, nor a rent in force, and the `status` of a lease or a work order is that of a new one.",
    uploads: { maxBytes: BULK_FILE_MAX_BYTES },
    body: body({ entityType, file: z.file(), mode: mode.default("create"), dryRun: Flag.default(true) }),
    returns: one,
    idempotent: true,
    streams: true,
  },
  getBulkImport: { method: "GET", path: "/api/bulk-imports/{id}", summary: "read a bulk import", access: managers, returns: one },
  listBulkImportRows: {
    method: "GET",
    path: "/api/bulk-imports/{id}/rows",
    summary: "list rows of bulk imports",
    access: managers,
    description: "In the order of the file, as far as they are judged.",
    query: listQuery(["rowNumber", "updatedAt"], { status: anyOf(bulkRowStatuses).optional() }),
    returns: page("rows", BulkImportRow),
  },
  startBulkImport: {
    method: "POST",
    path: "/api/bulk-imports/{id}/start",
    summary: "start bulk imports",
    access: managers,
    description:
      "Writes the valid rows of an import that is `ready`, under the rules of the service that owns them and in the name of whoever starts it. Answers at once; rows that are refused are errors, and the import then ends `completed_with_errors`. Imports of an organization are written one after the other.",
    returns: one,
    fails: [409],
  },
  cancelBulkImport: {
    method: "POST",
    path: "/api/bulk-imports/{id}/cancel",
    summary: "cancel bulk imports",
    access: managers,
    description: "Nothing of it is written. Once writing has begun it changes nothing, and answers the import as it is.",
    returns: one,
    fails: [409],
  },
  getBulkImportErrors: {
    method: "GET",
    path: "/api/bulk-imports/{id}/errors.csv",
    summary: "download rows with errors",
    access: managers,
    description: "The rows with errors as they stood in the file, and what is wrong in a column `errors`. Mended, the file can be sent as a new import.",
    returns: {},
    answers: "text/csv",
    streams: true,
  },
});
