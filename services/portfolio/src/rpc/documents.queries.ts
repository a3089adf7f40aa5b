/** gRPC messages of documents, and of the portal users with whom they are shared. */
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { CreateDocumentLinksRequest, Document, DocumentLink, GetSharedDocumentsRequest, SharedDocument } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../clients.ts";
import { withAccessOf } from "../documents/document-reader.ts";
import { createDocumentLink, type DocumentDependencies } from "../documents/documents.ts";

/** Creates links to documents, followed with the access of a tenant or vendor. Throws 404 for a document to which the caller has no access. */
export function createDocumentLinkMessages(
  db: OrgDb,
  dependencies: Pick<DocumentDependencies, "links"> & { publicUrl: string },
  { ids, expiresInSeconds, readerKind, readerId }: CreateDocumentLinksRequest,
): Promise<DocumentLink[]> {
  // A caller of the earlier version names no reader.
  const reader = readerId === "" ? undefined : { kind: readerKind === "vendor" ? ("vendor" as const) : ("tenant" as const), id: readerId };
  return Promise.all(
    ids.map(async (documentId) => ({ documentId, url: (await createDocumentLink(db, dependencies, documentId, expiresInSeconds, reader)).url })),
  );
}

/** Returns the documents to which the caller has access, without deleted ones. */
export const findDocumentMessages = (db: StatementRunner, ids: readonly string[]): Promise<Document[]> =>
  db.all(
    sql<Document>`select id, file_name, content_type from document where organization_id = ${db.organizationId} and id = any(${ids}::uuid[]) and deleted_at is null`,
  );

/** Returns the documents to which the caller has access, and tells to which of them the given tenant or vendor has access as well. */
export async function findSharedDocuments(
  db: OrgDb,
  clients: Pick<Clients, "identity">,
  { ids, readerKind, readerId }: GetSharedDocumentsRequest,
): Promise<SharedDocument[]> {
  // Row-level security limits the reader to the documents that are shared with the reader.
  const reader = await withAccessOf(db, clients, { kind: readerKind === "vendor" ? "vendor" : "tenant", id: readerId });
  const read = async (by: OrgDb | undefined) =>
    (await by?.all(sql<{ id: string; fileName: string }>`select id, file_name from document
      where organization_id = ${db.organizationId} and id = any(${ids}::uuid[]) and deleted_at is null`)) ?? [];
  const [documents, shared] = await Promise.all([read(db), read(reader)]);
  const sharedIds = new Set(shared.map(({ id }) => id));
  return documents.map(({ id, fileName }) => ({ id, fileName, isShared: sharedIds.has(id) }));
}
