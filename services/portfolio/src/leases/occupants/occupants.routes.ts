import { leaseOccupants } from "@freehold/contract/lease-occupants";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createOccupant, deleteOccupant, listOccupants, releaseOccupant, updateOccupant } from "./occupants.ts";

export const occupantsDoor = (ask: Clients) =>
  routes(leaseOccupants, {
    listOccupants: ({ db, params, query }) => listOccupants(db, params.leaseId, query),
    createOccupant: ({ db, params, body }) => createOccupant(db, ask, params.leaseId, body),
    updateOccupant: ({ db, params, body }) => updateOccupant(db, ask, params.id, body),
    releaseOccupant: ({ db, params, body }) => releaseOccupant(db, ask, params.id, body),
    deleteOccupant: ({ db, params }) => deleteOccupant(db, ask, params.id),
  });
