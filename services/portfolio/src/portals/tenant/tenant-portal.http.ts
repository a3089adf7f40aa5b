import { tenantPortal } from "@freehold/contract/tenant-portal";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../../clients.ts";
import { listDocuments } from "../../documents/documents.ts";
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
  handlers(tenantPortal, {
    getTenantPortalMe: ({ db }) => getTenantPortalMe(db, ask),
    listTenantPortalLeases: ({ db }) => listTenantPortalLeases(db),
    getTenantPortalLease: ({ db, params }) => getTenantPortalLease(db, ask, params.id),
    listMaintenanceRequests: ({ db, query }) => listMaintenanceRequests(db, query),
    createMaintenanceRequest: ({ db, body }) => createMaintenanceRequest(db, ask, body),
    getMaintenanceRequest: ({ db, params }) => getMaintenanceRequest(db, ask, params.id),
    commentOnMaintenanceRequest: ({ db, params, body }) => commentOnMaintenanceRequest(db, ask, params.id, body),
    cancelMaintenanceRequest: ({ db, params }) => cancelMaintenanceRequest(db, params.id),
    listTenantPortalDocuments: ({ db, query }) => listDocuments(db, query),
  });
