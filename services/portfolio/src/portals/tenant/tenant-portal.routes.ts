import { tenantPortal } from "@freehold/contract/portals/tenant-portal";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listDocuments } from "../../documents/documents.ts";
import { resolveMergedTenant } from "../subject.ts";
import {
  cancelMaintenanceRequest,
  commentOnMaintenanceRequest,
  createMaintenanceRequest,
  getMaintenanceRequest,
  listMaintenanceRequests,
} from "./maintenance-requests.ts";
import { getTenantPortalLease, listTenantPortalLeases } from "./tenant-leases.ts";
import { getTenantPortalMe } from "./tenant-portal.ts";

export const tenantPortalRoutes = (clients: Clients) =>
  routes(tenantPortal, {
    getTenantPortalMe: async ({ db }) => getTenantPortalMe(await resolveMergedTenant(db), clients),
    listTenantPortalLeases: async ({ db }) => listTenantPortalLeases(await resolveMergedTenant(db)),
    getTenantPortalLease: async ({ db, params }) => getTenantPortalLease(await resolveMergedTenant(db), clients, params.id),
    listMaintenanceRequests: async ({ db, query }) => listMaintenanceRequests(await resolveMergedTenant(db), query),
    createMaintenanceRequest: async ({ db, body }) => createMaintenanceRequest(await resolveMergedTenant(db), clients, body),
    getMaintenanceRequest: async ({ db, params }) => getMaintenanceRequest(await resolveMergedTenant(db), clients, params.id),
    commentOnMaintenanceRequest: async ({ db, params, body }) => commentOnMaintenanceRequest(await resolveMergedTenant(db), clients, params.id, body),
    cancelMaintenanceRequest: async ({ db, params }) => cancelMaintenanceRequest(await resolveMergedTenant(db), params.id),
    listTenantPortalDocuments: async ({ db, query }) => listDocuments(await resolveMergedTenant(db), query),
  });
