import { parkingRights } from "@freehold/contract/leases/parking-rights";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createParkingRight, deleteParkingRight, getParkingRight, listParkingRights, updateParkingRight } from "./parking-rights.ts";

export const parkingRightRoutes = (clients: Clients) =>
  routes(parkingRights, {
    listParkingRights: ({ db, params, query }) => listParkingRights(db, clients, params.leaseId, query),
    createParkingRight: ({ db, params, body }) => createParkingRight(db, clients, params.leaseId, body),
    getParkingRight: ({ db, params }) => getParkingRight(db, clients, params.id),
    updateParkingRight: ({ db, params, body }) => updateParkingRight(db, clients, params.id, body),
    deleteParkingRight: ({ db, params }) => deleteParkingRight(db, clients, params.id),
  });
