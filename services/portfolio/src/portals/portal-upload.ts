/** Uploads of tenants and vendors to their work orders. */
import type { Document, Visibility, portalUpload } from "@freehold/contract/documents/documents";
import type { z } from "zod";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { Received } from "@freehold/kit/http/multipart";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { countPortalUploads } from "../documents/documents.queries.ts";
import { storeDocument, type DocumentDependencies } from "../documents/documents.ts";
import { lockWorkOrder } from "../maintenance/work-orders/change-work-order.ts";
import { requireUnreleasedTenant } from "../maintenance/work-orders/work-order.access.ts";
import { getWorkOrderRow } from "../maintenance/work-orders/work-orders.queries.ts";

type Upload = Received<z.output<(typeof portalUpload)["body"]>>;
const MAX_UPLOADS = 50;

/**
 * Uploads a document of a portal user to a work order that the user sees. Other tenants or vendors to whom the work order is assigned later do
 * not read it. Throws 403 for a tenant who was released from the unit, and 400 for more than 50 documents.
 */
export async function uploadPortalDocument(
  db: OrgDb,
  dependencies: DocumentDependencies,
  id: string,
  upload: Upload,
  visibility: Visibility,
): Promise<{ document: Document }> {
  const portalUploaderId = requireSubjectId(db.principal);
  return storeDocument(
    db,
    dependencies,
    { ...upload, entityType: "work_order", entityId: id, visibility, portalUploaderId },
    {
      check: async () => {
        await getWorkOrderRow(db, id);
        await requireUnreleasedTenant(db, id);
      },
      lockEntity: async (tx) => {
        await lockWorkOrder(tx, id);
        if ((await countPortalUploads(tx, id, portalUploaderId)) >= MAX_UPLOADS)
          throw invalid([
            { path: "file", code: "max", message: `You have uploaded ${MAX_UPLOADS} files to this work order already. Ask the office for help.` },
          ]);
      },
    },
  );
}
