import type { Document as DocumentView, documents } from "@freehold/contract/documents/documents";
import { noteEntityTypes } from "@freehold/contract/overview/notes";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { newId } from "@freehold/kit/db/entity";
import { conflict, unknownReference } from "@freehold/kit/errors";
import type { FileStore } from "@freehold/kit/files/file-store";
import { requireWithinQuota, storageUsage, type QuotaFinder } from "@freehold/kit/files/storage-quota";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { isNotCommitted } from "@freehold/kit/db/idempotency";
import type { Received } from "@freehold/kit/http/multipart";
import type { Clients } from "../clients.ts";
import { isAttachedToCompletedInspection } from "../maintenance/inspections/inspections.queries.ts";
import { lockLiveRows, lockReference } from "../db/references.ts";
import { getPropertyRow } from "../properties/properties.queries.ts";
import type { DocumentLinks, LinkReader } from "./document-link.rules.ts";
import { adjustDocumentBytes, readDocumentBytes } from "./document-usage.queries.ts";
import { Document } from "./document.entity.ts";
import { publishDocumentEvent } from "./document-events.ts";
import { documentView } from "./document.view.ts";
import { getDocumentRow, listDocumentRows } from "./documents.queries.ts";
import { detectFileType } from "./file-types/file-type.ts";
import { truncate } from "@freehold/kit/truncate";
import { sanitizeFileName } from "./file-types/file-type.rules.ts";
import { isNewlyShared, tenantVisibilities } from "./sharing.rules.ts";

type Operations = (typeof documents)["operations"];
type Result = { document: DocumentView };

/** Dependencies of the document operations besides the database. */
export interface DocumentDependencies {
  store: FileStore;
  links: DocumentLinks;
  findQuota: QuotaFinder;
  /** Directory of files on the way into the store; undefined while no store is configured. */
  uploadDir: string | undefined;
}

const MAX_TITLE_LENGTH = 160;

/** Returns a page of the documents to which the caller has access. */
export async function listDocuments(db: OrgDb, query: QueryOf<Operations["listDocuments"]>): Promise<Output<Operations["listDocuments"]>> {
  const { rows, paging } = await listDocumentRows(db, query);
  return { documents: rows, ...paging };
}

/** Returns a page of the documents that are attached to a property. Throws 404 for an unknown property. */
export async function listPropertyDocuments(
  db: OrgDb,
  id: string,
  query: QueryOf<Operations["listPropertyDocuments"]>,
): Promise<Output<Operations["listPropertyDocuments"]>> {
  await getPropertyRow(db, id);
  return listDocuments(db, { ...query, entityType: ["property"], entityId: id });
}

/** Returns the storage that the organization's documents use, and its quota. */
export const getDocumentStorage = async (db: OrgDb, { findQuota }: DocumentDependencies): Promise<Output<Operations["getDocumentStorage"]>> => ({
  storage: storageUsage(await findQuota(db), await readDocumentBytes(db)),
});

/** Removes a file. Ignores failures: the sweep removes the file later. */
export const removeQuietly = (store: FileStore, organizationId: string, id: string): Promise<void> => store.remove(organizationId, id).catch(() => undefined);

/** Checks of the record that a document is attached to: before the file is stored, and in the transaction. */
interface EntityChecks {
  requireEntity: () => Promise<void>;
  lockEntity: (tx: OrgTx) => Promise<void>;
}

const localTables = [...noteEntityTypes, "inspection"] as const;
/** Returns the table of an entity that portfolio owns. */
const localTableOf = (entityType: DocumentView["entityType"]) => localTables.find((table) => table === entityType);

type Upload = Received<BodyOf<Operations["uploadDocument"]>>;

/** Uploads a document of the office. Throws 400 when the entity does not exist or the quota is exceeded. */
export async function uploadDocument(db: OrgDb, clients: Clients, dependencies: DocumentDependencies, upload: Upload): Promise<Result> {
  const { entityType, entityId } = upload;
  const participant = entityType === "conversation" ? await findConversationParticipant(db, clients, entityId) : {};
  return storeDocument(
    db,
    dependencies,
    { ...upload, ...participant },
    {
      requireEntity: async () => {
        if (entityType !== "conversation" && !(await entityExists(db, clients, entityType, entityId)))
          throw unknownReference("entityId", entityType.replace("_", " "));
      },
      lockEntity: async (tx) => {
        const table = localTableOf(entityType);
        if (table) await lockReference(tx, table, entityId, "entityId");
      },
    },
  );
}

interface StoredMetadata {
  /** ID of the document; by default a new one. */
  id?: string;
  portalUploaderId?: string;
  portalUploaderRole?: "tenant" | "vendor";
  participantId?: string;
  participantRole?: "tenant" | "vendor";
}

/** Stores a file, then its document row. The file of a failed upload is removed at once or by the sweep. */
export async function storeDocument(
  db: OrgDb,
  { store, findQuota }: DocumentDependencies,
  { file, title, id = newId(), ...metadata }: Upload & StoredMetadata,
  { requireEntity, lockEntity }: EntityChecks,
): Promise<Result> {
  const contentType = await detectFileType(file.path, file.name);
  const fileName = sanitizeFileName(file.name, contentType);
  await requireEntity();
  const quota = await findQuota(db);
  await store.put(db.organizationId, id, file.path);
  return transaction(db, async (tx) => {
    await lockEntity(tx);
    const content = { fileName, contentType, sizeBytes: file.size, sha256: file.sha256 };
    await insertDocument(tx, quota, { ...metadata, ...content, id, title: title ?? truncate(fileName, MAX_TITLE_LENGTH) });
    return { document: documentView(await getDocumentRow(tx, id)) };
  }).catch(async (error: unknown) => {
    // A file whose document may be committed is left to the sweep.
    if (isNotCommitted(error)) await removeQuietly(store, db.organizationId, id);
    throw error;
  });
}

type NewDocument = Pick<DocumentView, "entityType" | "entityId" | "title" | "fileName" | "contentType" | "sizeBytes" | "sha256" | "category" | "visibility">;

/** Inserts the row of a stored file that the caller uploads. Throws 400 when the quota is exceeded. */
export async function insertDocument(
  tx: OrgTx,
  quota: Awaited<ReturnType<QuotaFinder>>,
  document: NewDocument & StoredMetadata & { id: string },
): Promise<void> {
  // The quota covers the documents of all.
  requireWithinQuota(quota, await inOfficeReach(tx, () => adjustDocumentBytes(tx, document.sizeBytes)));
  await publishDocumentEvent(tx, "document.created", tx.create(Document, { ...document, uploadedByUserId: tx.principal.userId }));
}

/** Returns the columns of a document with the participant of its conversation. Throws 400 for an unknown conversation. */
async function findConversationParticipant(
  db: OrgDb,
  clients: Clients,
  conversationId: string,
): Promise<Pick<StoredMetadata, "participantId" | "participantRole">> {
  const { ids, participants } = await clients.communications.findConversations(db, { ids: [conversationId] });
  if (ids.length === 0) throw unknownReference("entityId", "conversation");
  const [participant] = participants;
  return participant ? { participantId: participant.id, participantRole: participant.type === "vendor" ? "vendor" : "tenant" } : {};
}

/** Tells whether the entity of a document exists, in this service or in the one that owns it. */
async function entityExists(db: OrgDb, clients: Clients, entityType: Exclude<DocumentView["entityType"], "conversation">, entityId: string): Promise<boolean> {
  const table = localTableOf(entityType);
  if (table) return (await lockLiveRows(db, table, [entityId])).size > 0;
  if (entityType === "payment") return (await clients.ledger.getPayments(db, { ids: [entityId] })).payments.length > 0;
  if (entityType === "organization") return entityId === db.organizationId;
  return (await clients.ledger.findRecords(db, { type: entityType, ids: [entityId] })).ids.length > 0;
}

/** Returns a document. Throws 404 when the caller has no access. */
export const getDocument = async (db: OrgDb, id: string): Promise<Result> => ({ document: documentView(await getDocumentRow(db, id)) });

/** Updates the metadata of a document; the file itself is immutable. */
export const updateDocument = (db: OrgDb, id: string, changes: BodyOf<Operations["updateDocument"]>): Promise<Result> =>
  transaction(db, async (tx) => {
    const document = await tx.getForUpdate(Document, id, "Document", { deletedAt: null });
    const change = { before: document.visibility, after: changes.visibility ?? document.visibility };
    tx.assign(document, { ...omitUndefined(changes), ...(isNewlyShared(tenantVisibilities, change) && { sharedWithTenantsAt: now() }) });
    await publishDocumentEvent(tx, "document.updated", document, change.before);
    return { document: documentView(await getDocumentRow(tx, id)) };
  });

/** Soft-deletes a document and removes its file after the commit. Throws 409 for a document attached to a completed inspection. */
export async function deleteDocument(db: OrgDb, { store }: DocumentDependencies, id: string): Promise<Result> {
  const response = await transaction(db, async (tx) => {
    const document = await tx.getForUpdate(Document, id, "Document", { deletedAt: null });
    const view = await getDocumentRow(tx, id);
    if (await isAttachedToCompletedInspection(tx, document))
      throw conflict(
        "The document is attached to an item of a completed inspection and cannot be deleted. Change its visibility to hide it.",
        "resource_in_use",
      );
    tx.assign(document, { deletedAt: now() });
    await adjustDocumentBytes(tx, -document.sizeBytes);
    await publishDocumentEvent(tx, "document.deleted", document);
    return {
      document: documentView({ ...view, version: document.version, updatedAt: document.updatedAt.toISOString(), deletedAt: document.deletedAt!.toISOString() }),
    };
  });
  await removeQuietly(store, db.organizationId, id);
  return response;
}

/** Creates a link to download the file without authentication until the link expires. */
export async function createDocumentLink(
  db: OrgDb,
  { links, publicUrl }: Pick<DocumentDependencies, "links"> & { publicUrl: string },
  id: string,
  expiresInSeconds: number,
  reader?: LinkReader,
): Promise<Output<Operations["createDocumentLink"]>> {
  await getDocumentRow(db, id);
  const expiresAt = new Date(now().getTime() + expiresInSeconds * 1_000);
  const token = links.issue({ organizationId: db.organizationId, documentId: id, expiresAt, reader });
  return { url: `${publicUrl}/api/document-links/${token}`, expiresAt: expiresAt.toISOString() };
}
