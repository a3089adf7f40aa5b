import { parkingRights } from "@freehold/contract/parking-rights";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createParkingRight, deleteParkingRight, getParkingRight, listParkingRights, updateParkingRight } from "./parking-rights.ts";

export const parkingRightsDoor = (ask: Clients) =>
  routes(parkingRights, {
    listParkingRights: ({ db, params, query }) => listParkingRights(db, ask, params.leaseId, query),
    createParkingRight: ({ db, params, body }) => createParkingRight(db, ask, params.leaseId, body),
    getParkingRight: ({ db, params }) => getParkingRight(db, ask, params.id),
    updateParkingRight: ({ db, params, body }) => updateParkingRight(db, ask, params.id, body),
    deleteParkingRight: ({ db, params }) => deleteParkingRight(db, ask, params.id),
  });
