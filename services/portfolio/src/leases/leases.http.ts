import { leases } from "@freehold/contract/leases";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { activateLease } from "./activate-lease.ts";
import { cancelLease } from "./cancel-lease.ts";
import { deleteLease } from "./delete-lease.ts";
import { giveNotice, withdrawNotice } from "./lease-notice.ts";
import { createLease, getLease, listLeases } from "./leases.ts";
import { renewLease } from "./renew-lease.ts";
import { terminateLease } from "./terminate-lease.ts";
import { updateLease } from "./update-lease.ts";

export const leasesDoor = (ask: Clients) =>
  handlers(leases, {
    listLeases: ({ db, query }) => listLeases(db, ask, query),
    createLease: ({ db, body }) => createLease(db, ask, body),
    getLease: ({ db, params }) => getLease(db, ask, params.id),
    activateLease: ({ db, params, body }) => activateLease(db, ask, params.id, body),
    renewLease: ({ db, params, body }) => renewLease(db, ask, params.id, body),
    terminateLease: ({ db, params, body }) => terminateLease(db, ask, params.id, body),
    updateLease: ({ db, params, body }) => updateLease(db, ask, params.id, body),
    deleteLease: ({ db, params }) => deleteLease(db, ask, params.id),
    cancelLease: ({ db, params }) => cancelLease(db, ask, params.id),
    giveNotice: ({ db, params, body }) => giveNotice(db, ask, params.id, body),
    withdrawNotice: ({ db, params }) => withdrawNotice(db, ask, params.id),
  });
