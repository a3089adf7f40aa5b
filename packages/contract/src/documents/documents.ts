import { z } from "zod";
import { noteEntityTypes, visibilities } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { allRoles, adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, PlainDate, Search, StorageUsage, text } from "../values.ts";

export const documentEntityTypes = [
  ...noteEntityTypes,
  "expense",
  "payment",
  "inspection",
  "organization",
  "owner_statement",
  "reconciliation",
  "conversation",
] as const;
export const documentCategories = ["lease", "invoice", "receipt", "photo", "insurance", "tax", "statement", "notice", "other"] as const;
export const documentVisibilities = [...visibilities, "owner_shared"] as const;
export type Visibility = (typeof documentVisibilities)[number];

/** Maximum size of an uploaded file: 25 MiB. */
export const DOCUMENT_MAX_BYTES = 26_214_400;

const attachedTo = {
  entityType: z.enum(documentEntityTypes).describe("Type of the record that the document is attached to."),
  entityId: Id.describe("Identifier of the record that the document is attached to."),
};
const editableFields = {
  title: text(1, 160).describe("Title of the document, shown in lists and in the portals."),
  category: z.enum(documentCategories).describe("Kind of document."),
  visibility: z
    .enum(documentVisibilities)
    .describe(
      "Audience of the document. The office sees every document; `tenant_shared` adds the tenants concerned, `vendor_shared` the vendor concerned, " +
        "`tenant_vendor_shared` both, `owner_shared` the owners concerned, and `organization_only` nobody else.",
    ),
};

export const Document = z
  .strictObject({
    id: Id.describe("Unique identifier of the document."),
    organizationId: Id.describe("Organization that the document belongs to."),
    ...attachedTo,
    ...editableFields,
    title: z.string().describe("Title of the document, shown in lists and in the portals."),
    fileName: z.string().describe("Name of the uploaded file, without folders and with the extension of its content type."),
    contentType: z.string().describe("Media type of the file, detected from its bytes."),
    sizeBytes: z.int().min(1).max(DOCUMENT_MAX_BYTES).describe("Size of the file in bytes."),
    sha256: z.string().describe("SHA-256 digest of the file, in hexadecimal."),
    version: z.int().min(1).describe("Row version of the document, increased with each change."),
    uploadedByUserId: Id.nullable().describe("User who uploaded the file; null when no user did."),
    createdAt: Instant.describe("Time at which the document was uploaded."),
    updatedAt: Instant.describe("Time at which the document was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the document was deleted; null unless deleted."),
  })
  .meta({ id: "DocumentFile", description: "A file attached to one record of the organization." });
export type Document = z.output<typeof Document>;

const download = "Range requests return 206, and `If-None-Match` returns 304 for an unchanged file; the `ETag` is the file's digest.";
const shared = "Tenants, owners and vendors receive only documents that are shared with them, about their own records.";

/** Types of file that uploads accept, and their limits. */
const fileTypes =
  "Accepts PDF, PNG, JPEG, GIF, WebP, HEIC, TIFF, Word, Excel and PowerPoint files (docx, xlsx, pptx), and plain or comma-separated text in UTF-8. " +
  "The type is detected from the bytes, not from the name: other types, and files that a browser could render as a page, return `unsupported_file`. " +
  "Files above 25 MiB return `file_too_large`, and files that would exceed the storage quota of the organization `payload_too_large`.";
const fileTerms = {
  file: z.file().describe("File to upload, at most 25 MiB."),
  title: editableFields.title.optional().describe("Title of the document; defaults to the file name."),
};

/** Upload of a tenant or vendor to a work order or conversation of the portal. */
export const portalUpload = {
  description: fileTypes,
  uploads: { maxBytes: DOCUMENT_MAX_BYTES },
  body: body({ ...fileTerms, category: editableFields.category.default("photo").describe("Kind of document. Default `photo`.") }),
  response: { document: Document.describe("Uploaded document.") },
  idempotent: true,
  streams: true,
} as const;

const sorts = ["createdAt", "title", "sizeBytes"] as const;
const byEntity = {
  entityType: csvEnum(documentEntityTypes).optional().describe("Types of record that documents are attached to, repeated or comma-separated."),
  entityId: Id.optional().describe("Only documents attached to this record."),
};
const filters = {
  search: Search.optional().describe("Case-insensitive text to find in titles and file names."),
  category: csvEnum(documentCategories).optional().describe("Categories of document, repeated or comma-separated."),
  visibility: csvEnum(documentVisibilities).optional().describe("Visibilities of document, repeated or comma-separated."),
  uploadedByUserId: Id.optional().describe("Only documents uploaded by this user."),
  createdAfter: PlainDate.optional().describe("Only documents uploaded on or after this day in the organization's time zone."),
  createdBefore: PlainDate.optional().describe("Only documents uploaded on or before this day in the organization's time zone."),
};

export const documents = operationGroup("Documents", "portfolio", {
  listDocuments: {
    method: "GET",
    path: "/api/documents",
    summary: "list documents",
    access: officeRoles,
    query: listQuery(sorts, { ...filters, ...byEntity }),
    response: page("documents", Document),
  },
  listPropertyDocuments: {
    method: "GET",
    path: "/api/properties/{id}/documents",
    summary: "list the documents of a property",
    access: officeRoles,
    description: "Returns the documents that are attached to the property itself, not those of its units, leases and work orders.",
    query: listQuery(sorts, filters),
    response: page("documents", Document),
  },
  uploadDocument: {
    method: "POST",
    path: "/api/documents",
    summary: "upload documents",
    access: officeRoles,
    description: fileTypes,
    uploads: { maxBytes: DOCUMENT_MAX_BYTES },
    body: body({
      ...fileTerms,
      ...attachedTo,
      category: editableFields.category.default("other"),
      visibility: editableFields.visibility.default("organization_only"),
    }),
    response: { document: Document.describe("Uploaded document.") },
    idempotent: true,
    streams: true,
  },
  downloadDocumentsArchive: {
    method: "GET",
    path: "/api/documents/archive",
    summary: "download all documents of a record",
    access: officeRoles,
    description: "Streams a ZIP archive of the files. Returns 404 when the record has no documents.",
    query: z.strictObject(attachedTo),
    response: {},
    contentType: "application/zip",
    errors: [404],
    streams: true,
  },
  getDocumentStorage: {
    method: "GET",
    path: "/api/documents/storage",
    summary: "read the storage used by documents",
    access: officeRoles,
    description:
      "Files of unfinished imports have a quota of the same size, which `GET /api/import-bundles/storage` returns. The deletion of a document frees its bytes at once.",
    response: { storage: StorageUsage.describe("Storage that documents use, and its quota.") },
  },
  getDocument: {
    method: "GET",
    path: "/api/documents/{id}",
    summary: "read a document",
    access: allRoles,
    description: shared,
    response: { document: Document.describe("Requested document.") },
  },
  updateDocument: {
    method: "PATCH",
    path: "/api/documents/{id}",
    summary: "change documents",
    access: officeRoles,
    description: "Changes the title, category or visibility; the file itself cannot be replaced.",
    body: body(editableFields).partial(),
    response: { document: Document.describe("Document after the change.") },
  },
  deleteDocument: {
    method: "DELETE",
    path: "/api/documents/{id}",
    summary: "delete documents",
    access: adminsAndManagers,
    description:
      "Removes the file at once and invalidates its links; lists still return the document with `includeDeleted`. " +
      "A document that an item of a completed inspection refers to cannot be deleted.",
    response: { document: Document.describe("Deleted document, with `deletedAt` set.") },
    errors: [409],
  },
  downloadDocument: {
    method: "GET",
    path: "/api/documents/{id}/download",
    summary: "download a document",
    access: allRoles,
    description: `Returns the file as an attachment. ${download} ${shared}`,
    response: {},
    contentType: "*/*",
    streams: true,
  },
  createDocumentLink: {
    method: "POST",
    path: "/api/documents/{id}/links",
    summary: "create download links of documents",
    access: officeRoles,
    description: "Creates a link that downloads the file without a token until the link expires. A link can be revoked only by deleting the document.",
    body: body({ expiresInSeconds: z.int().min(60).max(86_400).describe("Lifetime of the link in seconds, from one minute to one day.") }),
    response: {
      url: z.url().describe("Download link of the file; no token is needed."),
      expiresAt: Instant.describe("Time at which the link expires."),
    },
  },
  followDocumentLink: {
    method: "GET",
    path: "/api/document-links/{token}",
    summary: "download a document by link",
    access: "public",
    params: z.object({ token: z.string().min(1).max(200).describe("Signed token of the download link.") }),
    description: `Returns the file as an attachment; 404 when the link has expired or was altered, the document was deleted, or the link was mailed with a message to a tenant or vendor who no longer has access. ${download}`,
    response: {},
    contentType: "*/*",
    streams: true,
  },
});
