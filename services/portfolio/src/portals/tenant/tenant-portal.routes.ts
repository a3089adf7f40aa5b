import { tenantPortal } from "@freehold/contract/portals/tenant-portal";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listDocuments, type DocumentDependencies } from "../../documents/documents.ts";
import { uploadPortalDocument } from "../portal-upload.ts";
import { scopeToSurvivingTenant } from "../subject.ts";
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
  routes(tenantPortal, {
    getTenantPortalMe: async ({ db }) => getTenantPortalMe(await scopeToSurvivingTenant(db), clients),
    listTenantPortalLeases: async ({ db }) => listTenantPortalLeases(await scopeToSurvivingTenant(db)),
    getTenantPortalLease: async ({ db, params }) => getTenantPortalLease(await scopeToSurvivingTenant(db), clients, params.id),
    listMaintenanceRequests: async ({ db, query }) => listMaintenanceRequests(await scopeToSurvivingTenant(db), clients, query),
    createMaintenanceRequest: async ({ db, body }) => createMaintenanceRequest(await scopeToSurvivingTenant(db), clients, body),
    getMaintenanceRequest: async ({ db, params }) => getMaintenanceRequest(await scopeToSurvivingTenant(db), clients, params.id),
    commentOnMaintenanceRequest: async ({ db, params, body }) => commentOnMaintenanceRequest(await scopeToSurvivingTenant(db), clients, params.id, body),
    uploadMaintenanceRequestDocument: async ({ db, params, body }) =>
      uploadPortalDocument(await scopeToSurvivingTenant(db), documents, params.id, body, "tenant"),
    cancelMaintenanceRequest: async ({ db, params }) => cancelMaintenanceRequest(await scopeToSurvivingTenant(db), params.id),
    listTenantPortalDocuments: async ({ db, query }) => listDocuments(await scopeToSurvivingTenant(db), query),
  });
