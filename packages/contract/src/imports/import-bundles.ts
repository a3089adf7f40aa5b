import { z } from "zod";
import { Candidate, candidateFilters, candidateStatuses, Counts, EntityType, importEntityTypes } from "./import-candidates.ts";
import { BundleFile, ColumnMapping } from "./import-files.ts";
import { operationGroup, body } from "../operation.ts";
import { progressOf } from "./progress.schema.ts";
import { adminsAndManagers } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, Search, StorageUsage, text } from "../values.ts";

export { candidateStatuses, importEntityTypes, type Candidate, type CandidateStatus, type ImportCounts, type ImportEntityType } from "./import-candidates.ts";
export { BundleFile, ColumnMapping } from "./import-files.ts";

export const importProviders = ["generic", "appfolio", "buildium"] as const;
export type ImportProvider = (typeof importProviders)[number];

export const importBundleStatuses = [
  "draft",
  "inspecting",
  "mapping",
  "validating",
  "ready",
  "queued",
  "processing",
  "completed",
  "completed_with_errors",
  "cancelled",
  "failed",
] as const;
export type ImportBundleStatus = (typeof importBundleStatuses)[number];

/** Maximum size of an uploaded file: 25 MiB. */
export const IMPORT_FILE_MAX_BYTES = 26_214_400;
export const IMPORT_FILES_AT_MOST = 20;
export const MAX_IMPORT_ROWS = 200_000;

const provider = z
  .enum(importProviders)
  .describe("Source system of the files: `generic` for the templates of Freehold and for spreadsheets of any other origin, `appfolio` or `buildium`.");
const SourceNamespace = z.string().regex(/^[a-z0-9._-]{1,80}$/);

const terms = {
  name: text(1, 160).describe("Name of the import bundle."),
  provider,
  sourceNamespace: SourceNamespace.describe(
    "Namespace of the source IDs: 1 to 80 lower-case letters, digits, `.`, `_` and `-`. Records are identified by namespace and source ID, so importing under the same namespace again updates them.",
  ),
  sourceAccountLabel: text(1, 160).describe("Label of the account in the source system, for display."),
};

export const ImportBundle = z
  .strictObject({
    id: Id.describe("ID of the import bundle."),
    organizationId: Id.describe("ID of the organization the import bundle belongs to."),
    ...terms,
    name: z.string().describe("Name of the import bundle."),
    sourceAccountLabel: z.string().describe("Label of the account in the source system, for display."),
    status: z
      .enum(importBundleStatuses)
      .describe(
        "Status of the import bundle. `draft` accepts files; `inspecting`, `mapping` and `validating` are steps of a validation; `ready` awaits the start; `queued` and `processing` are being written; `completed_with_errors` means that some rows were not written; `failed` means that the validation or the writing stopped with `error`; what was written stays, and the bundle can be validated again.",
      ),
    progress: progressOf("`inspecting`, `reading`, `matching`, `judging` or `writing`"),
    counts: Counts,
    files: z.array(BundleFile).describe("Files of the import bundle in the order of their upload."),
    createdByUserId: Id.nullable().describe("ID of the user or service key that created the import bundle, or null."),
    createdAt: Instant.describe("Time at which the import bundle was created."),
    updatedAt: Instant.describe("Time at which the import bundle was last changed."),
    validatedAt: Instant.nullable().describe("Time at which the last validation was completed. Null until then."),
    startedAt: Instant.nullable().describe("Time at which the import bundle was started. Null until then."),
    completedAt: Instant.nullable().describe("Time at which the writing was completed. Null until then."),
    error: z.string().nullable().describe("Reason of the failure. Null unless the status is `failed`."),
  })
  .meta({ id: "ImportBundle", description: "Files from another system to be imported together. Nothing is written before the bundle is started." });
export type ImportBundle = z.output<typeof ImportBundle>;

const bundleResponse = { importBundle: ImportBundle };
export const importBundles = operationGroup("Import bundles", "imports", {
  getImportTemplate: {
    method: "GET",
    path: "/api/import-bundles/templates/{provider}",
    summary: "download import templates",
    access: adminsAndManagers,
    description:
      "Returns a ZIP archive of CSV templates with a README.txt that explains each column. For `appfolio` and `buildium`, the files have the names and columns of that system's exports, and one file may contain several entity types.",
    params: z.object({ provider }),
    response: {},
    contentType: "application/zip",
    streams: true,
  },
  listImportBundles: {
    method: "GET",
    path: "/api/import-bundles",
    summary: "list import bundles",
    access: adminsAndManagers,
    query: listQuery(["createdAt", "name", "status"], {
      search: Search.optional().describe("Return only import bundles whose name or account label contains this text, ignoring case."),
      status: csvEnum(importBundleStatuses).optional().describe("Return only import bundles with these statuses, repeated or comma-separated."),
      provider: csvEnum(importProviders).optional().describe("Return only import bundles from these source systems, repeated or comma-separated."),
      sourceNamespace: SourceNamespace.optional().describe("Return only import bundles with this namespace."),
    }),
    response: page("importBundles", ImportBundle),
  },
  createImportBundle: {
    method: "POST",
    path: "/api/import-bundles",
    summary: "create import bundles",
    access: adminsAndManagers,
    body: body(terms),
    response: bundleResponse,
    idempotent: true,
  },
  getImportStorage: {
    method: "GET",
    path: "/api/import-bundles/storage",
    summary: "read the storage used by import files",
    access: adminsAndManagers,
    description:
      "Covers the files of import bundles and bulk imports that are neither completed nor cancelled. Their bytes are freed at once when a file is removed, or when its import is completed or cancelled. Uploads that would exceed the quota return `payload_too_large`. Documents have a quota of the same size, which `GET /api/documents/storage` returns.",
    response: { storage: StorageUsage.describe("Storage that import files use, and its quota.") },
  },
  getImportBundle: { method: "GET", path: "/api/import-bundles/{id}", summary: "read an import bundle", access: adminsAndManagers, response: bundleResponse },
  uploadImportFiles: {
    method: "POST",
    path: "/api/import-bundles/{id}/files",
    summary: "upload import files",
    access: adminsAndManagers,
    description:
      "Accepts CSV files (delimited by commas, semicolons, tabs or vertical bars; in UTF-8, UTF-16 or Windows-1252), ZIP archives of them, and Excel workbooks (.xlsx), of which each visible sheet with data becomes a file: at most 25 MiB for each file, 20 files in a bundle and 200,000 rows in a file. An archive or workbook may contain 1,000 entries and 250 MiB, compressed at most by a factor of 100; plain text documents in it are skipped, other files that are not CSV are refused, as are workbooks with macros or a password. Formulas have the value of their last calculation. Either all files of a request are accepted or none. Columns are mapped by their names and values. A bundle that is `ready` returns to `draft`, and the next validation creates its candidates again.",
    uploads: { maxBytes: IMPORT_FILE_MAX_BYTES, maxFiles: IMPORT_FILES_AT_MOST },
    body: body({
      file: z
        .array(z.file())
        .min(1)
        .max(IMPORT_FILES_AT_MOST)
        .describe("CSV files, ZIP archives of CSV files, or Excel workbooks (.xlsx). Repeat the form field for several files."),
    }),
    response: { files: z.array(BundleFile).describe("Files that were added to the import bundle.") },
    errors: [409],
    streams: true,
  },
  updateImportFile: {
    method: "PATCH",
    path: "/api/import-bundles/{id}/files/{fileId}",
    summary: "correct the mapping of import files",
    access: adminsAndManagers,
    description:
      "`form` or `entityType` declares the content of the file and maps its columns again; then `mappingProfileId` applies a saved mapping to the columns it names, and `mapping` sets single columns. Two columns cannot be mapped to the same field.",
    body: body({
      form: text(1, 60).optional().describe("Export format of the source system, such as `rent_roll`."),
      entityType: EntityType.optional().describe("Primary entity type of the rows."),
      mapping: ColumnMapping.optional().describe(
        "Field of the generic template for each column name, or null to unmap a column. Columns that are not named remain unchanged; at most 500.",
      ),
      mappingProfileId: Id.nullable()
        .optional()
        .describe("ID of the mapping profile to apply, for the same provider. Null removes the reference and keeps the mapping."),
    }),
    response: { file: BundleFile },
    errors: [409],
  },
  deleteImportFile: {
    method: "DELETE",
    path: "/api/import-bundles/{id}/files/{fileId}",
    summary: "remove import files",
    access: adminsAndManagers,
    description: "Deletes the file and its content immediately.",
    response: { file: BundleFile },
    errors: [409],
  },
  validateImportBundle: {
    method: "POST",
    path: "/api/import-bundles/{id}/validate",
    summary: "validate import bundles",
    access: adminsAndManagers,
    description:
      "Dry run: creates a candidate for every row, resolves references between rows and matches them with existing records. The response is immediate; the status then changes from `inspecting` through `mapping` and `validating` to `ready`, published as `import_bundle.status_changed` and `import_bundle.progress`. Returns 409 `bundle_not_ready` while the bundle has no file or a required column is missing; `errors` names the file, the missing column and the columns that could be mapped to it. A row that differs from what an earlier import has posted, such as an opening balance, is `invalid`; its error names the record to correct. A changed status of a lease is carried out or `invalid`, too: a draft is activated, a lease that has not begun is cancelled, and one that has begun is terminated on its end date.\n\nWhen another bundle of the namespace has written a row that this bundle also has, a bundle that is `validating` or `ready` is validated again by itself, so that it updates the record of that row instead of creating another one.\n\nResolutions of earlier candidates are kept for the same rows, identified by source ID or by position in the same file. An edit is discarded when its row has changed, and a chosen record when it no longer exists.",
    response: bundleResponse,
    errors: [409],
  },
  listImportCandidates: {
    method: "GET",
    path: "/api/import-bundles/{id}/candidates",
    summary: "list import candidates",
    access: adminsAndManagers,
    description: "By default in the order of files and rows. `counts` covers the whole bundle, regardless of the filters.",
    query: listQuery(["position", "displayName", "updatedAt"], candidateFilters),
    response: { ...page("candidates", Candidate), counts: Counts },
  },
  resolveImportCandidate: {
    method: "PATCH",
    path: "/api/import-bundles/{id}/candidates/{candidateId}",
    summary: "resolve import candidates",
    access: adminsAndManagers,
    description:
      "Resolves one candidate of a bundle that is `ready`. The candidate and all candidates that depend on it are validated again before the response.",
    body: body({
      action: z
        .enum(["match", "create", "exclude", "edit", "reset"])
        .describe(
          "Resolution: `match` updates the record in `entityId`, `create` creates a new record, `exclude` skips the candidate, `edit` changes the fields in `data`, `reset` undoes all resolutions and edits.",
        ),
      entityId: Id.optional().describe("ID of the existing record to update. Required with `match`, not permitted otherwise."),
      data: z
        .record(z.string().min(1).max(60), z.string().max(4000).nullable())
        .optional()
        .describe("Fields of the generic template with their new values; null empties a field. Required with `edit`, not permitted otherwise."),
    })
      .refine(({ action, entityId }) => action !== "match" || entityId !== undefined, {
        path: ["entityId"],
        params: { code: "required" },
        message: "entityId is required with the action match.",
      })
      .refine(({ action, data }) => action !== "edit" || Object.keys(data ?? {}).length > 0, {
        path: ["data"],
        params: { code: "required" },
        message: "data is required with the action edit: name at least one field.",
      })
      .refine(({ action, entityId }) => action === "match" || entityId === undefined, {
        path: ["entityId"],
        params: { code: "not_allowed" },
        message: "entityId is permitted only with the action match.",
      })
      .refine(({ action, data }) => action === "edit" || data === undefined, {
        path: ["data"],
        params: { code: "not_allowed" },
        message: "data is permitted only with the action edit.",
      }),
    response: { candidate: Candidate, importBundle: ImportBundle },
    errors: [409],
  },
  resolveImportCandidates: {
    method: "POST",
    path: "/api/import-bundles/{id}/candidates/bulk-resolve",
    summary: "resolve many import candidates",
    access: adminsAndManagers,
    description:
      "Resolves all candidates that match the filters. Dependent candidates are validated again; for more than 2,000 candidates this happens after the response, while the bundle is `validating`.",
    body: body({
      status: z
        .preprocess((status) => (typeof status === "string" ? [status] : status), z.array(z.enum(candidateStatuses)).min(1).max(candidateStatuses.length))
        .meta({
          override: ({ jsonSchema }) => {
            const { items, description: _description, ...list } = jsonSchema;
            for (const key of Object.keys(list)) delete jsonSchema[key];
            delete jsonSchema.items;
            jsonSchema.anyOf = [items as object, { ...list, items }] as NonNullable<typeof jsonSchema.anyOf>;
          },
        })
        .describe("Resolve only candidates with this status, or with one of these statuses."),
      entityType: z.array(EntityType).min(1).max(importEntityTypes.length).optional().describe("Resolve only candidates of these entity types. Default: all."),
      fileId: Id.optional().describe("Resolve only candidates from this file. Default: all files."),
      search: Search.optional().describe("Resolve only candidates whose name or source ID contains this text, ignoring case."),
      action: z
        .enum(["create", "exclude", "reset"])
        .describe("Resolution: `create` creates new records, `exclude` skips the candidates, `reset` undoes all resolutions and edits."),
    }),
    response: { updated: z.int().min(0).describe("Number of candidates that were resolved.") },
    errors: [409],
  },
  startImportBundle: {
    method: "POST",
    path: "/api/import-bundles/{id}/start",
    summary: "start import bundles",
    access: adminsAndManagers,
    description:
      "Writes the candidates that are `ready_create` and `ready_update`, subject to the rules of each resource and on behalf of the caller: owners and vendors first, then properties and units, tenants, leases, and charges and payments. Returns immediately with the status `queued`. Candidates that are ambiguous, incomplete, invalid or blocked, and rows refused by a rule, are not written but listed in `failures.csv`; the bundle then ends as `completed_with_errors`. A new record is written as a whole or not at all, and so is a changed row; only of a changed work order whose later step is refused, such as its completion, the earlier ones stay. Nobody is notified of imported history. Amounts due before today are imported from the files, so leases are charged from today on. Only one bundle of a namespace can be written at a time (409 `import_running`).",
    response: bundleResponse,
    errors: [409],
    idempotent: true,
  },
  cancelImportBundle: {
    method: "POST",
    path: "/api/import-bundles/{id}/cancel",
    summary: "cancel import bundles",
    access: adminsAndManagers,
    description: "Deletes the files immediately. Has no effect once writing has begun; the bundle is then returned unchanged.",
    response: bundleResponse,
    errors: [409],
  },
  getImportFailures: {
    method: "GET",
    path: "/api/import-bundles/{id}/failures.csv",
    summary: "download import failures",
    access: adminsAndManagers,
    description:
      "Contains one line for each reason why a row was not or will not be written, with the columns `file,row,entityType,sourceId,status,code,message`. Corrected rows can be imported under the same namespace without creating duplicates.",
    response: {},
    contentType: "text/csv",
    streams: true,
  },
  getImportIdentityMap: {
    method: "GET",
    path: "/api/import-bundles/{id}/identity-map.csv",
    summary: "download the identity map of an import",
    access: adminsAndManagers,
    description:
      "Contains one line for each source ID, with the columns `entityType,sourceNamespace,sourceId,serviceId,action`; `action` is `created`, `updated`, `unchanged` or `merged`. Empty until the bundle is written.",
    response: {},
    contentType: "text/csv",
    streams: true,
  },
});
