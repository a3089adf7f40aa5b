import { tenantPortal } from "@freehold/contract/tenant-portal";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listDocuments } from "../../documents/documents.ts";
import { afterMerge } from "../subject.ts";
import {
  cancelMaintenanceRequest,
  commentOnMaintenanceRequest,
  createMaintenanceRequest,
  getMaintenanceRequest,
  listMaintenanceRequests,
} from "./maintenance-requests.ts";
import { getTenantPortalLease, listTenantPortalLeases } from "./tenant-leases.ts";
import { getTenantPortalMe } from "./tenant-portal.ts";

export const tenantPortalDoor = (ask: Clients) =>
  routes(tenantPortal, {
    getTenantPortalMe: async ({ db }) => getTenantPortalMe(await afterMerge(db), ask),
    listTenantPortalLeases: async ({ db }) => listTenantPortalLeases(await afterMerge(db)),
    getTenantPortalLease: async ({ db, params }) => getTenantPortalLease(await afterMerge(db), ask, params.id),
    listMaintenanceRequests: async ({ db, query }) => listMaintenanceRequests(await afterMerge(db), query),
    createMaintenanceRequest: async ({ db, body }) => createMaintenanceRequest(await afterMerge(db), ask, body),
    getMaintenanceRequest: async ({ db, params }) => getMaintenanceRequest(await afterMerge(db), ask, params.id),
    commentOnMaintenanceRequest: async ({ db, params, body }) => commentOnMaintenanceRequest(await afterMerge(db), ask, params.id, body),
    cancelMaintenanceRequest: async ({ db, params }) => cancelMaintenanceRequest(await afterMerge(db), params.id),
    listTenantPortalDocuments: async ({ db, query }) => listDocuments(await afterMerge(db), query),
  });
