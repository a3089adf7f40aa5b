/** Routes of the costs of work orders. */
import { workOrderCosts } from "@freehold/contract/maintenance/work-order-costs";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { chargeWorkOrderTenant, createWorkOrderExpense } from "./work-order-costs.ts";

export const workOrderCostRoutes = (clients: Clients) =>
  routes(workOrderCosts, {
    createWorkOrderExpense: ({ db, params, body }) => createWorkOrderExpense(db, clients, params.id, body),
    chargeWorkOrderTenant: ({ db, params, body }) => chargeWorkOrderTenant(db, clients, params.id, body),
  });
