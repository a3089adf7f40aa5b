import { tenants } from "@freehold/contract/people/tenants";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { mergeTenants } from "./merge-tenants.ts";
import { createTenant, deleteTenant, getTenant, listTenants, updateTenant } from "./tenants.ts";

export const tenantRoutes = (clients: Clients) =>
  routes(tenants, {
    listTenants: ({ db, query }) => listTenants(db, clients, query),
    createTenant: ({ db, body }) => createTenant(db, body),
    getTenant: ({ db, params }) => getTenant(db, clients, params.id),
    updateTenant: ({ db, params, body }) => updateTenant(db, clients, params.id, body),
    deleteTenant: ({ db, params }) => deleteTenant(db, clients, params.id),
    mergeTenants: ({ db, params, body }) => mergeTenants(db, clients, params.id, body.duplicateTenantId),
  });
