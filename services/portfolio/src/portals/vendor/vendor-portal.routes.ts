import { vendorPortal } from "@freehold/contract/portals/vendor-portal";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listDocuments, type DocumentDependencies } from "../../documents/documents.ts";
import { uploadConversationDocument, uploadPortalDocument } from "../portal-upload.ts";
import { transitionAssignedWorkOrder } from "../../maintenance/work-orders/transition-work-order.ts";
import type { TaxIdEncryptor } from "../../people/tax-ids/tax-id.rules.ts";
import {
  acceptAssignedWorkOrder,
  commentOnAssignedWorkOrder,
  declineAssignedWorkOrder,
  estimateAssignedWorkOrder,
  getAssignedWorkOrder,
  listAssignedWorkOrders,
  scheduleAssignedWorkOrder,
} from "./assigned-work-orders.ts";
import { getVendorPortalMe, updateVendorPortalMe } from "./vendor-portal.ts";

export const vendorPortalRoutes = (clients: Clients, encryptTaxId: TaxIdEncryptor, documents: DocumentDependencies) =>
  routes(vendorPortal, {
    getVendorPortalMe: ({ db }) => getVendorPortalMe(db),
    updateVendorPortalMe: ({ db, body }) => updateVendorPortalMe(db, clients, encryptTaxId, body),
    listAssignedWorkOrders: ({ db, query }) => listAssignedWorkOrders(db, clients, query),
    getAssignedWorkOrder: ({ db, params }) => getAssignedWorkOrder(db, clients, params.id),
    acceptAssignedWorkOrder: ({ db, params }) => acceptAssignedWorkOrder(db, params.id),
    declineAssignedWorkOrder: ({ db, params, body }) => declineAssignedWorkOrder(db, params.id, body),
    transitionAssignedWorkOrder: ({ db, params, body }) => transitionAssignedWorkOrder(db, params.id, body),
    scheduleAssignedWorkOrder: ({ db, params, body }) => scheduleAssignedWorkOrder(db, params.id, body),
    commentOnAssignedWorkOrder: ({ db, params, body }) => commentOnAssignedWorkOrder(db, clients, params.id, body),
    uploadAssignedWorkOrderDocument: ({ db, params, body }) => uploadPortalDocument(db, documents, params.id, body, "vendor"),
    uploadVendorConversationDocument: ({ db, params, body }) => uploadConversationDocument(db, { clients, documents }, params.id, body, "vendor"),
    estimateAssignedWorkOrder: ({ db, params, body }) => estimateAssignedWorkOrder(db, params.id, body),
    listVendorPortalDocuments: ({ db, query }) => listDocuments(db, query),
  });
