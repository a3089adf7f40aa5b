import { leases } from "@freehold/contract/leases";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { activateLease } from "./activate-lease.ts";
import { createLease, getLease, listLeases, listOccupants } from "./leases.ts";
import { renewLease } from "./renew-lease.ts";
import { terminateLease } from "./terminate-lease.ts";

export const leasesDoor = (ask: Clients) =>
  handlers(leases, {
    listLeases: ({ db, query }) => listLeases(db, ask, query),
    createLease: ({ db, body }) => createLease(db, ask, body),
    getLease: ({ db, params }) => getLease(db, ask, params.id),
    activateLease: ({ db, params, body }) => activateLease(db, ask, params.id, body),
    renewLease: ({ db, params, body }) => renewLease(db, ask, params.id, body),
    terminateLease: ({ db, params, body }) => terminateLease(db, ask, params.id, body),
    listOccupants: ({ db, params, query }) => listOccupants(db, params.leaseId, query),
  });
