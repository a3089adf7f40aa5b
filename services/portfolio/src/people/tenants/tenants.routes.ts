import { tenants } from "@freehold/contract/tenants";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { mergeTenants } from "./merge-tenants.ts";
import { createTenant, deleteTenant, getTenant, listTenants, updateTenant } from "./tenants.ts";

export const tenantsDoor = (ask: Clients) =>
  routes(tenants, {
    listTenants: ({ db, query }) => listTenants(db, ask, query),
    createTenant: ({ db, body }) => createTenant(db, body),
    getTenant: ({ db, params }) => getTenant(db, ask, params.id),
    updateTenant: ({ db, params, body }) => updateTenant(db, ask, params.id, body),
    deleteTenant: ({ db, params }) => deleteTenant(db, ask, params.id),
    mergeTenants: ({ db, params, body }) => mergeTenants(db, ask, params.id, body.duplicateTenantId),
  });
