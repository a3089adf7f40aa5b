import { workOrders } from "@freehold/contract/maintenance/work-orders";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { assignWorkOrder } from "./assign-work-order.ts";
import { approveWorkOrderEstimate, createWorkOrderEstimate, listWorkOrderEstimates, rejectWorkOrderEstimate } from "./estimates/estimates.ts";
import { transitionWorkOrder } from "./transition-work-order.ts";
import { createWorkOrder, getWorkOrder, listPropertyWorkOrders, listVendorWorkOrders, listWorkOrders, updateWorkOrder } from "./work-orders.ts";

export const workOrderRoutes = (clients: Clients) =>
  routes(workOrders, {
    listWorkOrders: ({ db, query }) => listWorkOrders(db, clients, query),
    createWorkOrder: ({ db, body }) => createWorkOrder(db, clients, body),
    getWorkOrder: ({ db, params }) => getWorkOrder(db, clients, params.id),
    updateWorkOrder: ({ db, params, body }) => updateWorkOrder(db, clients, params.id, body),
    transitionWorkOrder: ({ db, params, body }) => transitionWorkOrder(db, clients, params.id, body),
    assignWorkOrder: ({ db, params, body }) => assignWorkOrder(db, clients, params.id, body),
    listWorkOrderEstimates: ({ db, params, query }) => listWorkOrderEstimates(db, clients, params.id, query),
    createWorkOrderEstimate: ({ db, params, body }) => createWorkOrderEstimate(db, params.id, body),
    approveWorkOrderEstimate: ({ db, params, body }) => approveWorkOrderEstimate(db, clients, params.id, body),
    rejectWorkOrderEstimate: ({ db, params, body }) => rejectWorkOrderEstimate(db, clients, params.id, body),
    listPropertyWorkOrders: ({ db, params, query }) => listPropertyWorkOrders(db, clients, params.id, query),
    listVendorWorkOrders: ({ db, params, query }) => listVendorWorkOrders(db, clients, params.id, query),
  });
