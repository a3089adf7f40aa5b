import { rentChanges } from "@freehold/contract/rent-changes";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getLeaseProration } from "./proration.ts";
import { createRentChange, deleteRentChange, listRentChanges } from "./rent-changes.ts";

export const rentChangesDoor = (ask: Clients) =>
  routes(rentChanges, {
    getLeaseProration: ({ db, params, query }) => getLeaseProration(db, ask, params.id, query),
    listRentChanges: ({ db, params, query }) => listRentChanges(db, params.id, query),
    createRentChange: ({ db, params, body }) => createRentChange(db, ask, params.id, body),
    deleteRentChange: ({ db, params }) => deleteRentChange(db, ask, params.id),
  });
