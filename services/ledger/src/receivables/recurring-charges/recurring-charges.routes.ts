/** Routes of recurring charges. */
import { recurringCharges } from "@freehold/contract/ledger/recurring-charges";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createRecurringCharge, getRecurringCharge, listRecurringCharges, pauseRecurringCharge, resumeRecurringCharge } from "./recurring-charges.ts";

export const recurringChargeRoutes = (clients: Clients) =>
  routes(recurringCharges, {
    listRecurringCharges: ({ db, query }) => listRecurringCharges(db, query),
    createRecurringCharge: ({ db, body }) => createRecurringCharge(db, clients, body),
    getRecurringCharge: async ({ db, params }) => ({ recurringChargeRule: await getRecurringCharge(db, params.id) }),
    pauseRecurringCharge: ({ db, params }) => pauseRecurringCharge(db, params.id),
    resumeRecurringCharge: ({ db, params, body }) => resumeRecurringCharge(db, params.id, body.postMissed),
  });
