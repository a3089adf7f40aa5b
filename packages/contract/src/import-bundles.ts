import { z } from "zod";
import { Candidate, candidateFilters, candidateStatuses, Counts, EntityType, importEntityTypes } from "./import-candidates.ts";
import { area, body } from "./operation.ts";
import { managers } from "./roles.ts";
import { anyOf, Id, Instant, listQuery, page, Search, text } from "./values.ts";

export { candidateStatuses, importEntityTypes, type Candidate, type CandidateStatus, type ImportCounts, type ImportEntityType } from "./import-candidates.ts";

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

/** The largest file that is taken: 25 MiB. */
export const IMPORT_FILE_MAX_BYTES = 26_214_400;
export const IMPORT_FILES_AT_MOST = 20;
export const IMPORT_ROWS_AT_MOST = 200_000;

const provider = z.enum(importProviders).meta({ description: "The system that the files come from; `generic` for our own templates." });
const SourceNamespace = z
  .string()
  .regex(/^[a-z0-9._-]{1,80}$/)
  .meta({
    description:
      "Small letters, digits, `.`, `_` and `-`. Ids of the old system are remembered under it: use the same one to update what an earlier bundle wrote.",
  });

/** The columns of a file and what each of them means. A mapping that is sent changes the columns it names; `null` leaves a column unused. */
export const ColumnMapping = z
  .record(z.string().min(1).max(200), z.string().min(1).max(60).nullable())
  .refine((mapping) => Object.keys(mapping).length <= 500, { params: { code: "too_long" }, message: "A mapping can name at most 500 columns." })
  .meta({ description: "Column of the file → field of the generic template, or null for a column that means nothing here." });

const Warning = z.strictObject({ row: z.int().min(1), message: z.string() }).meta({ id: "ImportWarning" });

export const BundleFile = z
  .strictObject({
    id: Id,
    bundleId: Id,
    fileName: z.string().meta({ description: "As it was sent; of a file out of a ZIP, its name in there." }),
    sizeBytes: z.int().min(0),
    sha256: z.string().meta({ description: "Digest of the file, in hexadecimal." }),
    encoding: z.enum(["utf-8", "utf-16le", "utf-16be", "windows-1252"]),
    delimiter: z.enum([",", ";", "\t", "|"]),
    headerRow: z.int().min(1).meta({ description: "The row with the names of the columns, counted from 1." }),
    form: z.string().nullable().meta({ description: "Which of the provider's exports it looks like, such as `rent_roll`; null when it looks like none." }),
    entityType: EntityType.nullable().meta({ description: "What a row becomes first of all; null until it is known." }),
    entityTypes: z.array(EntityType).meta({ description: "All that a row becomes: a rent roll feeds units, tenants, leases, deposits and balances." }),
    rowCount: z.int().min(0).meta({ description: "Rows with data, without totals, headings and blank rows." }),
    skippedRows: z.int().min(0),
    warnings: z.array(Warning).meta({ description: "What was passed over, at most 50 of them." }),
    header: z.array(z.string()).meta({ description: "The columns; a name that stands twice is numbered." }),
    mapping: z.record(z.string(), z.string().nullable()),
    mappingConfidence: z.number().min(0).max(1).meta({ description: "How sure the mapping is, from 0 to 1: 1 for one that was set by hand." }),
    columnConfidence: z.record(z.string(), z.number().min(0).max(1)),
    unmappedColumns: z.array(z.string()).meta({ description: "Kept with each row in `data.extra`." }),
    missingRequired: z.array(z.string()).meta({ description: "Fields that no column gives and a row cannot do without; `a|b` where one of them is enough." }),
    mappingProfileId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: "ImportFile", description: "A CSV file of a bundle, and how its columns are read." });
export type BundleFile = z.output<typeof BundleFile>;

const terms = {
  name: text(1, 160),
  provider,
  sourceNamespace: SourceNamespace,
  sourceAccountLabel: text(1, 160).meta({ description: "Which account of the old system it is, for people." }),
};

export const ImportBundle = z
  .strictObject({
    id: Id,
    organizationId: Id,
    ...terms,
    name: z.string(),
    sourceAccountLabel: z.string(),
    status: z.enum(importBundleStatuses),
    progress: z.strictObject({
      phase: z.string().nullable().meta({ description: "What is being done: `inspecting`, `reading`, `matching` or `judging`; null when nothing is." }),
      processed: z.int().min(0),
      total: z.int().min(0),
    }),
    counts: Counts,
    files: z.array(BundleFile),
    createdByUserId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    validatedAt: Instant.nullable(),
    startedAt: Instant.nullable(),
    completedAt: Instant.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: "ImportBundle", description: "Files of another system on their way in. Nothing is written before it is started." });
export type ImportBundle = z.output<typeof ImportBundle>;

const one = { importBundle: ImportBundle };
export const importBundles = area("Import bundles", "imports", {
  getImportTemplate: {
    method: "GET",
    path: "/api/import-bundles/templates/{provider}",
    summary: "download import templates",
    access: managers,
    description:
      "A ZIP of CSV templates with a README.txt that explains each column. For `appfolio` and `buildium` the files have the names and columns of that system's own exports, and one file may feed several entities.",
    params: z.object({ provider: z.enum(importProviders) }),
    returns: {},
    answers: "application/zip",
    streams: true,
  },
  listImportBundles: {
    method: "GET",
    path: "/api/import-bundles",
    summary: "list import bundles",
    access: managers,
    query: listQuery(
      ["createdAt", "name", "status"],
      {
        search: Search.optional(),
        status: anyOf(importBundleStatuses).optional(),
        provider: anyOf(importProviders).optional(),
        sourceNamespace: SourceNamespace.optional(),
      },
      "desc",
    ),
    returns: page("importBundles", ImportBundle),
  },
  createImportBundle: {
    method: "POST",
    path: "/api/import-bundles",
    summary: "create import bundles",
    access: managers,
    body: body(terms),
    returns: one,
    idempotent: true,
  },
  getImportBundle: { method: "GET", path: "/api/import-bundles/{id}", summary: "read an import bundle", access: managers, returns: one },
  uploadImportFiles: {
    method: "POST",
    path: "/api/import-bundles/{id}/files",
    summary: "upload import files",
    access: managers,
    description:
      "Takes CSV files (commas, semicolons, tabs or bars; UTF-8, UTF-16 or Windows-1252) and ZIPs of them: at most 25 MiB a file, 20 files a bundle and 200000 rows a file. A ZIP may hold 1000 entries and 250 MiB, packed at most a hundredfold; what is no CSV in it is passed over if it is a text for people, and refused otherwise. All files of a request are taken or none is. The columns are mapped by their names and values. A bundle that is `ready` goes back to `draft`, and its candidates are made anew by the next validation.",
    uploads: { maxBytes: IMPORT_FILE_MAX_BYTES, maxFiles: IMPORT_FILES_AT_MOST },
    body: body({ file: z.array(z.file()).min(1).max(IMPORT_FILES_AT_MOST) }),
    returns: { files: z.array(BundleFile) },
    fails: [409],
    streams: true,
  },
  updateImportFile: {
    method: "PATCH",
    path: "/api/import-bundles/{id}/files/{fileId}",
    summary: "correct the mapping of import files",
    access: managers,
    description:
      "`form` or `entityType` says what the file is, and its columns are mapped anew; `mappingProfileId` applies a saved mapping to the columns that it names, and `mapping` then sets single columns. Two columns cannot mean the same field.",
    body: body({
      form: text(1, 60).optional(),
      entityType: EntityType.optional(),
      mapping: ColumnMapping.optional(),
      mappingProfileId: Id.nullable().optional(),
    }),
    returns: { file: BundleFile },
    fails: [409],
  },
  deleteImportFile: {
    method: "DELETE",
    path: "/api/import-bundles/{id}/files/{fileId}",
    summary: "remove import files",
    access: managers,
    description: "The file is gone at once.",
    returns: { file: BundleFile },
    fails: [409],
  },
  validateImportBundle: {
    method: "POST",
    path: "/api/import-bundles/{id}/validate",
    summary: "validate import bundles",
    access: managers,
    description:
      "A dry run: makes a candidate of every row, resolves what rows say of each other, and matches them with what is there. Answers at once; the status goes over `inspecting`, `mapping` and `validating` to `ready`, and can be watched as `import_bundle.status_changed` and `import_bundle.progress`. Refused with `bundle_not_ready` while there is no file or a required column is missing; `errors` names file and field. What was decided over earlier candidates stays with those of the same rows: the same id in the old system, or the same place in the same file. An edit is dropped where the row says something else now, and a chosen record that is gone is not chosen any more.",
    returns: one,
    fails: [409],
  },
  listImportCandidates: {
    method: "GET",
    path: "/api/import-bundles/{id}/candidates",
    summary: "list import candidates",
    access: managers,
    description: "In the order of files and rows. `counts` is of the whole bundle.",
    query: listQuery(["position", "displayName", "updatedAt"], candidateFilters),
    returns: { ...page("candidates", Candidate), counts: Counts },
  },
  resolveImportCandidate: {
    method: "PATCH",
    path: "/api/import-bundles/{id}/candidates/{candidateId}",
    summary: "resolve import candidates",
    access: managers,
    description:
      "`match` chooses the record it updates, `create` makes a new one in any case, `exclude` skips it, `edit` corrects its fields (`null` empties one) in the words of the generic template, and `reset` takes all of that back. What depends on it is judged again.",
    body: body({
      action: z.enum(["match", "create", "exclude", "edit", "reset"]),
      entityId: Id.optional().meta({ description: "With `match`." }),
      data: z.record(z.string().min(1).max(60), z.string().max(4000).nullable()).optional().meta({ description: "With `edit`." }),
    })
      .refine(({ action, entityId }) => action !== "match" || entityId !== undefined, {
        path: ["entityId"],
        params: { code: "required" },
        message: "entityId is required to match.",
      })
      .refine(({ action, data }) => action !== "edit" || Object.keys(data ?? {}).length > 0, {
        path: ["data"],
        params: { code: "required" },
        message: "data is required to edit: name at least one field.",
      })
      .refine(({ action, entityId }) => action === "match" || entityId === undefined, {
        path: ["entityId"],
        params: { code: "not_allowed" },
        message: "entityId goes with match only.",
      })
      .refine(({ action, data }) => action === "edit" || data === undefined, {
        path: ["data"],
        params: { code: "not_allowed" },
        message: "data goes with edit only.",
      }),
    returns: { candidate: Candidate, importBundle: ImportBundle },
    fails: [409],
  },
  resolveImportCandidates: {
    method: "POST",
    path: "/api/import-bundles/{id}/candidates/bulk-resolve",
    summary: "resolve many import candidates",
    access: managers,
    description:
      "Every candidate that has one of the statuses, and the entity type, file and search if they are given. What depends on them is judged again; of more than 2000 after the answer, while the bundle is `validating` for a moment.",
    body: body({
      status: z.array(z.enum(candidateStatuses)).min(1).max(candidateStatuses.length),
      entityType: z.array(EntityType).min(1).max(importEntityTypes.length).optional(),
      fileId: Id.optional(),
      search: Search.optional(),
      action: z.enum(["create", "exclude", "reset"]),
    }),
    returns: { updated: z.int().min(0) },
    fails: [409],
  },
  startImportBundle: {
    method: "POST",
    path: "/api/import-bundles/{id}/start",
    summary: "start import bundles",
    access: managers,
    description:
      "Writes what is `ready_create` and `ready_update` through the services that own it, under their rules and in the name of whoever starts it: owners and vendors first, then places, people, leases and money. Answers at once with `queued`. Rows that are ambiguous, incomplete, invalid or blocked are left out and stand in `failures.csv`, as do rows that a rule refuses; the bundle then ends `completed_with_errors`. What was due before today comes with the rows, so leases are charged from today on. One bundle of a namespace at a time: `import_running`.",
    returns: one,
    fails: [409],
  },
  cancelImportBundle: {
    method: "POST",
    path: "/api/import-bundles/{id}/cancel",
    summary: "cancel import bundles",
    access: managers,
    description: "Once writing has begun it changes nothing, and answers the bundle as it is. The files are gone at once.",
    returns: one,
    fails: [409],
  },
  getImportFailures: {
    method: "GET",
    path: "/api/import-bundles/{id}/failures.csv",
    summary: "download what was not imported",
    access: managers,
    description:
      "A line for each reason why a row was or will not be written: `file,row,entityType,sourceId,status,code,message`. Rows that are mended can be imported under the same namespace without doubling anything.",
    returns: {},
    answers: "text/csv",
    streams: true,
  },
  getImportIdentityMap: {
    method: "GET",
    path: "/api/import-bundles/{id}/identity-map.csv",
    summary: "download what imported ids became",
    access: managers,
    description:
      "A line for each id of the old system: `entityType,sourceNamespace,sourceId,serviceId,action`, where `action` is `created`, `updated`, `unchanged` or `merged`. Empty until the bundle is written.",
    returns: {},
    answers: "text/csv",
    streams: true,
  },
});
