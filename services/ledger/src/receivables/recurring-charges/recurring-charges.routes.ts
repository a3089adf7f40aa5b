/** Routes of recurring charges. */
import { recurringCharges } from "@freehold/contract/ledger/recurring-charges";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { updateRecurringCharge } from "./change-recurring-charge.ts";
import { getRecurringChargeForecast } from "./recurring-charge-forecast.ts";
import { activateRecurringCharge, deleteRecurringCharge, endRecurringCharge, pauseRecurringCharge, resumeRecurringCharge } from "./recurring-charge-status.ts";
import { createRecurringCharge, getRecurringCharge, listRecurringChargeCharges, listRecurringCharges } from "./recurring-charges.ts";

export const recurringChargeRoutes = (clients: Clients) =>
  routes(recurringCharges, {
    listRecurringCharges: ({ db, query }) => listRecurringCharges(db, query),
    createRecurringCharge: ({ db, body }) => createRecurringCharge(db, clients, body),
    getRecurringCharge: async ({ db, params }) => ({ recurringChargeRule: await getRecurringCharge(db, params.id) }),
    updateRecurringCharge: ({ db, params, body }) => updateRecurringCharge(db, params.id, body),
    deleteRecurringCharge: ({ db, params }) => deleteRecurringCharge(db, params.id),
    activateRecurringCharge: ({ db, params, body }) => activateRecurringCharge(db, params.id, body.postMissed),
    pauseRecurringCharge: ({ db, params }) => pauseRecurringCharge(db, params.id),
    resumeRecurringCharge: ({ db, params, body }) => resumeRecurringCharge(db, params.id, body.postMissed),
    endRecurringCharge: ({ db, params, body }) => endRecurringCharge(db, params.id, body.endDate),
    getRecurringChargeForecast: ({ db, params, query }) => getRecurringChargeForecast(db, params.id, query.months),
    listRecurringChargeCharges: ({ db, params, query }) => listRecurringChargeCharges(db, params.id, query),
  });
