/** Routes of the ledgers of leases and tenants. */
import { ledgers } from "@freehold/contract/ledger/ledgers";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listLeaseLedger, listTenantLedger } from "./ledgers.ts";

export const ledgerRoutes = (clients: Clients) =>
  routes(ledgers, {
    listLeaseLedger: ({ db, params, query }) => listLeaseLedger(db, clients, params.id, query),
    listTenantLedger: ({ db, params, query }) => listTenantLedger(db, clients, params.id, query),
  });
