import { tenantPortal } from "@freehold/contract/portals/tenant-portal";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listDocuments, type DocumentDependencies } from "../../documents/documents.ts";
import { uploadConversationDocument, uploadPortalDocument } from "../portal-upload.ts";
import { withSurvivingTenant } from "../surviving-tenant.ts";
import {
  cancelMaintenanceRequest,
  commentOnMaintenanceRequest,
  createMaintenanceRequest,
  getMaintenanceRequest,
  listMaintenanceRequests,
} from "./maintenance-requests.ts";
import { getTenantPortalLease, listTenantPortalLeases } from "./tenant-leases.ts";
import { getTenantPortalMe } from "./tenant-portal.ts";

export const tenantPortalRoutes = (clients: Clients, documents: DocumentDependencies) =>
  withSurvivingTenant(
    routes(tenantPortal, {
      getTenantPortalMe: ({ db }) => getTenantPortalMe(db, clients),
      listTenantPortalLeases: ({ db }) => listTenantPortalLeases(db),
      getTenantPortalLease: ({ db, params }) => getTenantPortalLease(db, clients, params.id),
      listMaintenanceRequests: ({ db, query }) => listMaintenanceRequests(db, clients, query),
      createMaintenanceRequest: ({ db, body }) => createMaintenanceRequest(db, documents, body),
      getMaintenanceRequest: ({ db, params }) => getMaintenanceRequest(db, clients, params.id),
      commentOnMaintenanceRequest: ({ db, params, body }) => commentOnMaintenanceRequest(db, clients, params.id, body),
      uploadMaintenanceRequestDocument: ({ db, params, body }) => uploadPortalDocument(db, documents, params.id, body, "tenant"),
      uploadTenantConversationDocument: ({ db, params, body }) => uploadConversationDocument(db, { clients, documents }, params.id, body, "tenant"),
      cancelMaintenanceRequest: ({ db, params }) => cancelMaintenanceRequest(db, params.id),
      listTenantPortalDocuments: ({ db, query }) => listDocuments(db, query),
    }),
  );
