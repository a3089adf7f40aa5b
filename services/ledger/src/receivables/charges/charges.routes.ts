/** Routes of charges. */
import { charges } from "@freehold/contract/ledger/charges";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { creditCharge, listChargeCredits, reverseCredit } from "../credits/charge-credits.ts";
import { assessLateFees } from "../late-fees/assess-late-fees.ts";
import { createCharges } from "./create-charges.ts";
import { createCharge, getCharge, importOrigin, listChargeAllocations, listCharges, officeOrigin, type ChargeOrigin } from "./charges.ts";
import { postDueCharges } from "./post-due-charges.ts";
import { updateCharge } from "./update-charge.ts";
import { voidCharge } from "./void-charge.ts";

/** Routes of charges, which are created with the given origin. */
export const chargeRoutes = (clients: Clients, origin: ChargeOrigin = officeOrigin) =>
  routes(charges, {
    listCharges: ({ db, query }) => listCharges(db, query),
    createCharge: ({ db, body }) => createCharge(db, clients, body, origin),
    createCharges: ({ db, body }) => createCharges(db, clients, body, origin),
    getCharge: async ({ db, params }) => ({
      charge: await getCharge(db, params.id),
      allocations: await listChargeAllocations(db, params.id),
      credits: await listChargeCredits(db, params.id),
    }),
    updateCharge: ({ db, params, body }) => updateCharge(db, params.id, body),
    voidCharge: ({ db, params, body }) => voidCharge(db, params.id, body.reason),
    creditCharge: ({ db, params, body }) => creditCharge(db, params.id, body),
    reverseCredit: ({ db, params }) => reverseCredit(db, params.id, params.creditId),
    postDueCharges: ({ db, body }) => postDueCharges(db, clients, body),
    assessLateFees: ({ db, body }) => assessLateFees(db, clients, body),
  });

/** Routes of charges for imports. */
export const importedChargeRoutes = (clients: Clients) => chargeRoutes(clients, importOrigin);
