/** Files that tenants and vendors send to conversations by e-mail and text message, which communications receives. */
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { type ApiError, isRefusal } from "@freehold/kit/errors";
import type { ReceivedFile } from "@freehold/kit/http/multipart";
import type { StoreConversationFileRequest, StoredConversationFile } from "@freehold/proto/portfolio/v1/portfolio";
import { rm } from "node:fs/promises";
import { storeDocument, type DocumentDependencies } from "../documents.ts";
import { detectFileType } from "../file-types/file-type.ts";
import { requireUploadAllowed, type UploadTarget } from "../../portals/portal-upload.ts";
import { writeReceivedContent } from "./received-content.ts";

/** Another attempt has stored the file. It is not an error of the request, so that its file is kept. */
class AlreadyStored extends Error {}

const isStored = async (db: StatementRunner, id: string): Promise<boolean> =>
  (await db.first(sql`select 1 from document where organization_id = ${db.organizationId} and id = ${id}`)) !== undefined;

/**
 * Stores a received file as a document of a conversation, once for each id, also after its deletion. One that is not shared is not the sender's upload
 * and counts for the conversation alone, since somebody else may have sent it. Returns the code of the error when it is refused: for its type, the
 * storage quota, or the limits of uploads.
 */
export async function storeConversationFile(
  db: OrgDb,
  documents: DocumentDependencies,
  request: StoreConversationFileRequest,
): Promise<StoredConversationFile> {
  const { id, fileName, content } = request;
  if (await isStored(db, id)) return { refusal: undefined };
  const { uploadDir } = documents;
  if (uploadDir === undefined) return { refusal: "not_configured" };
  const file = await writeReceivedContent(uploadDir, fileName, content);
  try {
    await store(db, documents, request, file);
    return { refusal: undefined };
  } catch (error) {
    if (error instanceof AlreadyStored) return { refusal: undefined };
    if (isRefusal(error)) return { refusal: refusalOf(error) };
    throw error;
  } finally {
    await rm(file.path, { force: true });
  }
}

async function store(
  db: OrgDb,
  documents: DocumentDependencies,
  { id, conversationId, senderKind, senderId, isShared }: StoreConversationFileRequest,
  file: ReceivedFile,
): Promise<void> {
  const target: UploadTarget = { entityType: "conversation", entityId: conversationId };
  const role: "tenant" | "vendor" = senderKind === "vendor" ? "vendor" : "tenant";
  const contentType = await detectFileType(file.path, file.name);
  const metadata = {
    id,
    file,
    title: undefined,
    ...target,
    category: contentType.startsWith("image/") ? ("photo" as const) : ("other" as const),
    visibility: isShared ? (`${role}_shared` as const) : ("organization_only" as const),
    participantId: senderId,
    participantRole: role,
    ...(isShared && { portalUploaderId: senderId, portalUploaderRole: role }),
  } as const;
  await storeDocument(db, documents, metadata, {
    requireEntity: () => Promise.resolve(),
    lockEntity: async (tx) => {
      // The check precedes the limits, whose refusal removes the file.
      await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`document ${id}`}, 0))`);
      if (await isStored(tx, id)) throw new AlreadyStored();
      await requireUploadAllowed(tx, target, isShared ? senderId : undefined, file.size);
    },
  });
}

/** Returns the code of a refusal. Those of the limits of a person's uploads name a field. */
const refusalOf = ({ code, errors }: ApiError): string => (errors?.some((error) => error.code === "max") ? "upload_limit" : (code ?? "refused"));
