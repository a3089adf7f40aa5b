/** Routes of deposits. */
import { deposits } from "@freehold/contract/ledger/deposits";
import { routes } from "@freehold/kit/http/routes";
import { createDeposit, getDeposit, listDeposits, voidDeposit } from "./deposits.ts";

export const depositRoutes = routes(deposits, {
  listDeposits: ({ db, query }) => listDeposits(db, query),
  createDeposit: ({ db, body }) => createDeposit(db, body),
  getDeposit: async ({ db, params }) => ({ deposit: await getDeposit(db, params.id) }),
  voidDeposit: ({ db, params, body }) => voidDeposit(db, params.id, body.reason),
});
