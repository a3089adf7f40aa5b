import { leases } from "@freehold/contract/leases/leases";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { activateLease } from "./lifecycle/activate-lease.ts";
import { cancelLease } from "./lifecycle/cancel-lease.ts";
import { deleteLease } from "./delete-lease.ts";
import { giveNotice, withdrawNotice } from "./lifecycle/lease-notice.ts";
import { createLease, getLease, listLeases } from "./leases.ts";
import { renewLease } from "./lifecycle/renew-lease.ts";
import { terminateLease } from "./lifecycle/terminate-lease.ts";
import { updateLease } from "./update-lease.ts";

export const leaseRoutes = (clients: Clients) =>
  routes(leases, {
    listLeases: ({ db, query }) => listLeases(db, clients, query),
    createLease: ({ db, body }) => createLease(db, clients, body),
    getLease: ({ db, params }) => getLease(db, clients, params.id),
    activateLease: ({ db, params, body }) => activateLease(db, clients, params.id, body),
    renewLease: ({ db, params, body }) => renewLease(db, clients, params.id, body),
    terminateLease: ({ db, params, body }) => terminateLease(db, clients, params.id, body),
    updateLease: ({ db, params, body }) => updateLease(db, clients, params.id, body),
    deleteLease: ({ db, params }) => deleteLease(db, clients, params.id),
    cancelLease: ({ db, params }) => cancelLease(db, clients, params.id),
    giveNotice: ({ db, params, body }) => giveNotice(db, clients, params.id, body),
    withdrawNotice: ({ db, params }) => withdrawNotice(db, clients, params.id),
  });
