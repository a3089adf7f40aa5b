import { rentChanges } from "@freehold/contract/leases/rent-changes";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getLeaseProration } from "./proration.ts";
import { createRentChange, deleteRentChange, listRentChanges } from "./rent-changes.ts";

export const rentChangeRoutes = (clients: Clients) =>
  routes(rentChanges, {
    getLeaseProration: ({ db, params, query }) => getLeaseProration(db, clients, params.id, query),
    listRentChanges: ({ db, params, query }) => listRentChanges(db, params.id, query),
    createRentChange: ({ db, params, body }) => createRentChange(db, clients, params.id, body),
    deleteRentChange: ({ db, params }) => deleteRentChange(db, clients, params.id),
  });
