/** Uploads of tenants and vendors to their work orders and conversations. */
import type { Document, portalUpload } from "@freehold/contract/documents/documents";
import type { z } from "zod";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach, withOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import { conflict, invalid, notFound } from "@freehold/kit/errors";
import type { Received } from "@freehold/kit/http/multipart";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import type { Clients } from "../clients.ts";
import { readPortalUploads } from "../documents/documents.queries.ts";
import { storeDocument, type DocumentDependencies } from "../documents/documents.ts";
import { lockWorkOrder } from "../maintenance/work-orders/change-work-order.ts";
import { requireUnreleasedTenant } from "../maintenance/work-orders/work-order.access.ts";
import { getWorkOrderRow } from "../maintenance/work-orders/work-orders.queries.ts";

type Upload = Received<z.output<(typeof portalUpload)["body"]>>;
type PortalUploader = "tenant" | "vendor";

/** Record to which tenants and vendors upload. */
export interface UploadTarget {
  entityType: "work_order" | "conversation";
  entityId: string;
}

const MAX_UPLOADS = 50;
/** MiB that a person uploads in `RECENT_DAYS`, so that nobody uses up the storage of the organization. */
const MAX_RECENT_MIB = 250;
const RECENT_DAYS = 30;

/**
 * Throws 400 above the limits of the uploads of a tenant or vendor, or of those of nobody in particular to a conversation. A conversation may go on for
 * years, so its files count for `RECENT_DAYS`.
 */
export async function requireUploadAllowed(
  tx: OrgTx,
  { entityType, entityId }: UploadTarget,
  uploaderId: string | undefined,
  bytes: number,
  path = "file",
): Promise<void> {
  // Uploads to several records at the same time would not count each other.
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`portal uploads ${uploaderId ?? entityId}`}, 0))`);
  const { count, recentBytes } = await inOfficeReach(tx, () => readPortalUploads(tx, { uploaderId, entityId, since: startOfRecentDays() }));
  const record = entityType === "work_order" ? "this work order" : `this conversation in ${RECENT_DAYS} days`;
  if (count >= MAX_UPLOADS) throw limitExceeded(path, `You have uploaded ${MAX_UPLOADS} files to ${record} already.`);
  requireRecentBytes(recentBytes + bytes, path);
}

const startOfRecentDays = (): Date => new Date(now().getTime() - RECENT_DAYS * 86_400_000);
const limitExceeded = (path: string, message: string) => invalid([{ path, code: "max", message: `${message} Ask the office for help.` }]);

function requireRecentBytes(bytes: number, path: string): void {
  if (bytes > MAX_RECENT_MIB * 1_048_576) throw limitExceeded(path, `You have uploaded ${MAX_RECENT_MIB} MiB in ${RECENT_DAYS} days already.`);
}

/** Throws 400 when files of the caller would exceed the limit of all records together, before they are stored. */
export async function requireRecentUploadsAllowed(db: OrgDb, bytes: number, path: string): Promise<void> {
  const uploaderId = requireSubjectId(db.principal);
  const { recentBytes } = await readPortalUploads(withOfficeReach(db), { uploaderId, entityId: uploaderId, since: startOfRecentDays() });
  requireRecentBytes(recentBytes + bytes, path);
}

/**
 * Uploads a document of a portal user to a work order that the user sees. Other tenants or vendors to whom the work order is assigned later do
 * not read it. Throws 403 for a tenant who was released from the unit, and 400 above the limits of uploads.
 */
export async function uploadPortalDocument(
  db: OrgDb,
  dependencies: DocumentDependencies,
  id: string,
  upload: Upload,
  role: PortalUploader,
): Promise<{ document: Document }> {
  const target: UploadTarget = { entityType: "work_order", entityId: id };
  return storeDocument(db, dependencies, metadataOf(db, upload, target, role), {
    requireEntity: async () => {
      await getWorkOrderRow(db, id);
      await requireUnreleasedTenant(db, id);
    },
    lockEntity: async (tx) => {
      await lockWorkOrder(tx, id);
      await requireUploadAllowed(tx, target, requireSubjectId(db.principal), upload.file.size);
    },
  });
}

/**
 * Uploads a document of a portal user to the user's own conversation, to be sent with a message. The office and the user read it. Throws 409 for a
 * closed conversation, and 400 above the limits of uploads.
 */
export async function uploadConversationDocument(
  db: OrgDb,
  { clients, documents }: { clients: Clients; documents: DocumentDependencies },
  id: string,
  upload: Upload,
  role: PortalUploader,
): Promise<{ document: Document }> {
  const target: UploadTarget = { entityType: "conversation", entityId: id };
  return storeDocument(db, documents, metadataOf(db, upload, target, role), {
    requireEntity: async () => {
      const { ids, closedIds } = await clients.communications.findConversations(db, { ids: [id] });
      if (ids.length === 0) throw notFound("Conversation");
      if (closedIds.length > 0) throw conflict("The conversation is closed. Ask the office to open it again.", "invalid_transition");
    },
    lockEntity: (tx) => requireUploadAllowed(tx, target, requireSubjectId(db.principal), upload.file.size),
  });
}

const metadataOf = (db: OrgDb, upload: Upload, target: UploadTarget, role: PortalUploader) => ({
  ...upload,
  ...target,
  visibility: `${role}_shared` as const,
  portalUploaderId: requireSubjectId(db.principal),
  portalUploaderRole: role,
});
