/** Uploads of tenants and vendors to their work orders. */
import type { Document, portalUpload } from "@freehold/contract/documents/documents";
import type { z } from "zod";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import { invalid } from "@freehold/kit/errors";
import type { Received } from "@freehold/kit/http/multipart";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { readPortalUploads } from "../documents/documents.queries.ts";
import { storeDocument, type DocumentDependencies } from "../documents/documents.ts";
import { lockWorkOrder } from "../maintenance/work-orders/change-work-order.ts";
import { requireUnreleasedTenant } from "../maintenance/work-orders/work-order.access.ts";
import { getWorkOrderRow } from "../maintenance/work-orders/work-orders.queries.ts";

type Upload = Received<z.output<(typeof portalUpload)["body"]>>;
const MAX_UPLOADS = 50;
/** MiB that a person uploads in `RECENT_DAYS`, so that nobody uses up the storage of the organization. */
const MAX_RECENT_MIB = 250;
const RECENT_DAYS = 30;

/** Throws 400 above the limits of the uploads of a tenant or vendor. */
async function requireUploadAllowed(tx: OrgTx, workOrderId: string, uploaderId: string, bytes: number): Promise<void> {
  // Uploads to several work orders at the same time would not count each other.
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`portal uploads ${uploaderId}`}, 0))`);
  const since = new Date(now().getTime() - RECENT_DAYS * 86_400_000);
  const { count, recentBytes } = await inOfficeReach(tx, () => readPortalUploads(tx, uploaderId, workOrderId, since));
  const refuse = (message: string) => invalid([{ path: "file", code: "max", message: `${message} Ask the office for help.` }]);
  if (count >= MAX_UPLOADS) throw refuse(`You have uploaded ${MAX_UPLOADS} files to this work order already.`);
  if (recentBytes + bytes > MAX_RECENT_MIB * 1_048_576) throw refuse(`You have uploaded ${MAX_RECENT_MIB} MiB in ${RECENT_DAYS} days already.`);
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
  role: "tenant" | "vendor",
): Promise<{ document: Document }> {
  const portalUploaderId = requireSubjectId(db.principal);
  return storeDocument(
    db,
    dependencies,
    { ...upload, entityType: "work_order", entityId: id, visibility: `${role}_shared`, portalUploaderId, portalUploaderRole: role },
    {
      requireEntity: async () => {
        await getWorkOrderRow(db, id);
        await requireUnreleasedTenant(db, id);
      },
      lockEntity: async (tx) => {
        await lockWorkOrder(tx, id);
        await requireUploadAllowed(tx, id, portalUploaderId, upload.file.size);
      },
    },
  );
}
