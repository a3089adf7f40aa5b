import { leaseOccupants } from "@freehold/contract/leases/lease-occupants";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createOccupant, deleteOccupant, listOccupants, releaseOccupant, updateOccupant } from "./occupants.ts";

export const occupantRoutes = (clients: Clients) =>
  routes(leaseOccupants, {
    listOccupants: ({ db, params, query }) => listOccupants(db, params.leaseId, query),
    createOccupant: ({ db, params, body }) => createOccupant(db, clients, params.leaseId, body),
    updateOccupant: ({ db, params, body }) => updateOccupant(db, clients, params.id, body),
    releaseOccupant: ({ db, params, body }) => releaseOccupant(db, clients, params.id, body),
    deleteOccupant: ({ db, params }) => deleteOccupant(db, clients, params.id),
  });
