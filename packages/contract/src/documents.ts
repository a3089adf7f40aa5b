import { z } from "zod";
import { noteEntityTypes, visibilities } from "./notes.ts";
import { area, body } from "./operation.ts";
import { everyone, managers, office } from "./roles.ts";
import { anyOf, Id, Instant, listQuery, page, PlainDate, Search, text } from "./values.ts";

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

/** The largest file that is taken: 25 MiB. */
export const DOCUMENT_MAX_BYTES = 26_214_400;

const terms = { title: text(1, 160), category: z.enum(documentCategories), visibility: z.enum(documentVisibilities) };

export const Document = z
  .strictObject({
    id: Id,
    organizationId: Id,
    entityType: z.enum(documentEntityTypes),
    entityId: Id,
    ...terms,
    title: z.string(),
    fileName: z.string().meta({ description: "As it was sent, without folders, and ending as its type does." }),
    contentType: z.string().meta({ description: "What the file is, found from its bytes." }),
    sizeBytes: z.int().min(1).max(DOCUMENT_MAX_BYTES),
    sha256: z.string().meta({ description: "Digest of the file, in hexadecimal." }),
    version: z.int().min(1),
    uploadedByUserId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "Document", description: "A file about one thing of the organization." });
export type Document = z.output<typeof Document>;

const download = "Ranges are answered with 206, and `If-None-Match` with 304; the `ETag` is the file's digest.";

export const documents = area("Documents", "portfolio", {
  listDocuments: {
    method: "GET",
    path: "/api/documents",
    summary: "list documents",
    access: office,
    query: listQuery(
      ["createdAt", "title", "sizeBytes"],
      {
        search: Search.optional().meta({ description: "Looks at titles and file names." }),
        entityType: anyOf(documentEntityTypes).optional(),
        entityId: Id.optional(),
        category: anyOf(documentCategories).optional(),
        visibility: anyOf(documentVisibilities).optional(),
        uploadedByUserId: Id.optional(),
        createdAfter: PlainDate.optional(),
        createdBefore: PlainDate.optional(),
      },
      "desc",
    ),
    returns: page("documents", Document),
  },
  uploadDocument: {
    method: "POST",
    path: "/api/documents",
    summary: "upload documents",
    access: office,
    description:
      "Takes PDF, PNG, JPEG, GIF, WebP, HEIC, TIFF, Word, Excel and PowerPoint files (docx, xlsx, pptx), and plain or comma-separated text in UTF-8. The bytes decide, not the name: anything else, and whatever a browser could take for a page, is refused with `unsupported_file`; more than 25 MiB, or more than the organization may keep in all, with `file_too_large`. The title is the file's name unless it is sent.",
    uploads: { maxBytes: DOCUMENT_MAX_BYTES },
    body: body({
      file: z.file(),
      entityType: z.enum(documentEntityTypes),
      entityId: Id,
      title: terms.title.optional(),
      category: terms.category.default("other"),
      visibility: terms.visibility.default("organization_only"),
    }),
    returns: { document: Document },
    idempotent: true,
    streams: true,
  },
  downloadDocumentsArchive: {
    method: "GET",
    path: "/api/documents/archive",
    summary: "download all documents of one thing",
    access: office,
    description: "A ZIP of the files, made as it is sent. 404 where there are none.",
    query: z.strictObject({ entityType: z.enum(documentEntityTypes), entityId: Id }),
    returns: {},
    answers: "application/zip",
    fails: [404],
    streams: true,
  },
  getDocument: {
    method: "GET",
    path: "/api/documents/{id}",
    summary: "read a document",
    access: everyone,
    description: "Tenants, owners and vendors are shown what is shared with them, about what is theirs.",
    returns: { document: Document },
  },
  updateDocument: {
    method: "PATCH",
    path: "/api/documents/{id}",
    summary: "change documents",
    access: office,
    body: body(terms).partial(),
    returns: { document: Document },
  },
  deleteDocument: {
    method: "DELETE",
    path: "/api/documents/{id}",
    summary: "delete documents",
    access: managers,
    description:
      "The file is gone at once, and with it the links to it; the list still shows the document with `includeDeleted`. One that an item of a completed inspection names stays.",
    returns: { document: Document },
    fails: [409],
  },
  downloadDocument: {
    method: "GET",
    path: "/api/documents/{id}/download",
    summary: "download a document",
    access: everyone,
    description: `The file as an attachment. ${download} Tenants, owners and vendors are shown what is shared with them, about what is theirs.`,
    returns: {},
    answers: "*/*",
    streams: true,
  },
  createDocumentLink: {
    method: "POST",
    path: "/api/documents/{id}/links",
    summary: "share documents by a link",
    access: office,
    description: "Whoever has the link can download the file without a token until it expires. It cannot be taken back but by deleting the document.",
    body: body({ expiresInSeconds: z.int().min(60).max(86_400) }),
    returns: { url: z.url(), expiresAt: Instant },
  },
  followDocumentLink: {
    method: "GET",
    path: "/api/document-links/{token}",
    summary: "download a document by a link",
    access: "public",
    params: z.object({ token: z.string().min(1).max(200) }),
    description: `The file as an attachment; 404 when the link has expired, was changed, or the document was deleted. ${download}`,
    returns: {},
    answers: "*/*",
    streams: true,
  },
});
