/** Routes of deposits. */
import { deposits } from "@freehold/contract/ledger/deposits";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createDeposit, getDeposit, listDeposits, voidDeposit } from "./deposits.ts";

export const depositRoutes = (clients: Clients) =>
  routes(deposits, {
    listDeposits: ({ db, query }) => listDeposits(db, query),
    createDeposit: ({ db, body }) => createDeposit(db, body),
    getDeposit: async ({ db, params }) => ({ deposit: await getDeposit(db, params.id) }),
    voidDeposit: ({ db, params, body }) => voidDeposit(db, clients, params.id, body.reason),
  });
