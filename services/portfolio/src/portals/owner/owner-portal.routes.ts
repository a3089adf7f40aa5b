import { ownerPortal } from "@freehold/contract/portals/owner-portal";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listDocuments } from "../../documents/documents.ts";
import { approveOwnerApproval, listOwnerApprovals, rejectOwnerApproval } from "./approvals.ts";
import { getOwnedProperty, getOwnerPortalMe, listOwnedLeases, listOwnedProperties, listOwnedWorkOrders } from "./owner-portal.ts";

export const ownerPortalRoutes = (clients: Clients) =>
  routes(ownerPortal, {
    getOwnerPortalMe: ({ db }) => getOwnerPortalMe(db, clients),
    listOwnedProperties: ({ db, query }) => listOwnedProperties(db, query),
    getOwnedProperty: ({ db, params }) => getOwnedProperty(db, params.id),
    listOwnedLeases: ({ db, query }) => listOwnedLeases(db, query),
    listOwnedWorkOrders: ({ db, query }) => listOwnedWorkOrders(db, clients, query),
    listOwnerPortalDocuments: ({ db, query }) => listDocuments(db, query),
    listOwnerApprovals: ({ db, query }) => listOwnerApprovals(db, clients, query),
    approveOwnerApproval: ({ db, params, body }) => approveOwnerApproval(db, clients, params.id, body),
    rejectOwnerApproval: ({ db, params, body }) => rejectOwnerApproval(db, clients, params.id, body),
  });
