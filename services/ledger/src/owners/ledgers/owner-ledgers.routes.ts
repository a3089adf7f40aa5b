/** Routes of the ledger and the balance of an owner. */
import { ownerLedgers } from "@freehold/contract/trust/owner-ledgers";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getOwnerBalance } from "./owner-balance.ts";
import { listOwnerLedger } from "./owner-ledger.ts";

export const ownerLedgerRoutes = (clients: Clients) =>
  routes(ownerLedgers, {
    listOwnerLedger: ({ db, params, query }) => listOwnerLedger(db, clients, params.id, query),
    getOwnerBalance: ({ db, params, query }) => getOwnerBalance(db, clients, params.id, query),
  });
