/** Routes of the ledger, the expenses and the payments of a vendor. */
import { vendorLedgers } from "@freehold/contract/payables/vendor-ledgers";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listVendorLedger } from "./vendor-ledger.ts";
import { listVendorExpenses, listVendorPayments } from "./vendor-expenses-and-payments.ts";

export const vendorLedgerRoutes = (clients: Clients) =>
  routes(vendorLedgers, {
    listVendorLedger: ({ db, params, query }) => listVendorLedger(db, clients, params.id, query),
    listVendorExpenses: ({ db, params, query }) => listVendorExpenses(db, clients, params.id, query),
    listVendorPayments: ({ db, params, query }) => listVendorPayments(db, clients, params.id, query),
  });
