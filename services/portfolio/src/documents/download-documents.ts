import type { documents } from "@freehold/contract/documents/documents";
import type { QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import type { Download } from "@freehold/kit/http/download";
import { notFound } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import type { Readable } from "node:stream";
import yazl from "yazl";
import { archiveEntryNames } from "./archive.rules.ts";
import type { DocumentDependencies } from "./documents.ts";
import { findEntityFiles, getDocumentRow } from "./documents.queries.ts";

/** The file of a document that the asker may see. */
export async function downloadDocument(db: OrgDb, { store }: DocumentDependencies, id: string): Promise<Download> {
  const { fileName, contentType, sizeBytes, sha256 } = await getDocumentRow(db, id);
  return { fileName, contentType, sizeBytes, etag: sha256, open: (range) => store.read(db.organizationId, id, range) };
}

/** The file that a link leads to, or 404: whoever asks has shown nothing but the link. */
export async function followDocumentLink(database: Database, parts: DocumentDependencies, token: string): Promise<Download> {
  const linked = parts.links.read(token, now());
  if (!linked) throw notFound("Document");
  return downloadDocument(new OrgDb(database, systemPrincipal(linked.organizationId)), parts, linked.documentId);
}

/** A ZIP of the files of one thing: each is read when those before it have been sent. 404 where there are none. */
export async function downloadDocumentsArchive(
  db: OrgDb,
  { store }: DocumentDependencies,
  { entityType, entityId }: QueryOf<(typeof documents)["operations"]["downloadDocumentsArchive"]>,
): Promise<() => Readable> {
  const files = await findEntityFiles(db, entityType, entityId);
  if (files.length === 0) throw notFound("Documents");
  return () => {
    const zip = new yazl.ZipFile();
    const output = zip.outputStream as Readable;
    zip.on("error", (error: Error) => output.destroy(error));
    for (const [index, name] of archiveEntryNames(files.map(({ fileName }) => fileName)).entries()) {
      const { id, contentType, createdAt, sizeBytes } = files[index]!;
      zip.addReadStreamLazy(name, { mtime: new Date(createdAt), compress: contentType.startsWith("text/"), size: sizeBytes }, (give) => {
        store.read(db.organizationId, id).then(
          (bytes) => give(null, bytes),
          (error: unknown) => give(error, undefined as never),
        );
      });
    }
    zip.end();
    return output;
  };
}
