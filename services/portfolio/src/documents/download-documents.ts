import type { documents } from "@freehold/contract/documents/documents";
import type { QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import type { Download } from "@freehold/kit/http/download";
import { notFound } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import type { Readable } from "node:stream";
import yazl from "yazl";
import type { Clients } from "../clients.ts";
import { archiveEntryNames } from "./archive.rules.ts";
import { withAccessOf } from "./document-reader.ts";
import type { DocumentDependencies } from "./documents.ts";
import { findAllEntityDocuments, getDocumentRow } from "./documents.queries.ts";

/** Returns the file of a document. Throws 404 when the document does not exist or the caller has no access. */
export async function downloadDocument(db: OrgDb, { store }: DocumentDependencies, id: string): Promise<Download> {
  const { fileName, contentType, sizeBytes, sha256 } = await getDocumentRow(db, id);
  return { fileName, contentType, sizeBytes, etag: sha256, open: (range) => store.read(db.organizationId, id, range) };
}

/**
 * Returns the file of a document link without authentication. A mailed link has the access of its reader. Throws 404 for an invalid or expired token, and
 * when the reader was deleted or no longer has access.
 */
export async function followDocumentLink(database: Database, clients: Clients, dependencies: DocumentDependencies, token: string): Promise<Download> {
  const link = dependencies.links.verify(token, now());
  if (!link) throw notFound("Document");
  const system = new OrgDb(database, systemPrincipal(link.organizationId));
  const db = link.reader ? await withAccessOf(system, clients, link.reader) : system;
  if (!db) throw notFound("Document");
  return downloadDocument(db, dependencies, link.documentId);
}

/**
 * Returns a stream factory for a ZIP archive of an entity's documents. Files are opened one at a time while the archive is
 * sent. Throws 404 when the entity has no documents.
 */
export async function downloadDocumentsArchive(
  db: OrgDb,
  { store }: DocumentDependencies,
  { entityType, entityId }: QueryOf<(typeof documents)["operations"]["downloadDocumentsArchive"]>,
): Promise<() => Readable> {
  const entityDocuments = await findAllEntityDocuments(db, entityType, entityId);
  if (entityDocuments.length === 0) throw notFound("Documents");
  return () => {
    const zip = new yazl.ZipFile();
    const output = zip.outputStream as Readable;
    zip.on("error", (error: Error) => output.destroy(error));
    for (const [index, name] of archiveEntryNames(entityDocuments.map(({ fileName }) => fileName)).entries()) {
      const { id, contentType, createdAt, sizeBytes } = entityDocuments[index]!;
      zip.addReadStreamLazy(name, { mtime: new Date(createdAt), compress: contentType.startsWith("text/"), size: sizeBytes }, (callback) => {
        store.read(db.organizationId, id).then(
          (bytes) => callback(null, bytes),
          (error: unknown) => callback(error, undefined as never),
        );
      });
    }
    zip.end();
    return output;
  };
}
