/** Routes of the money of vendors in their portal. */
import { vendorPortalMoney } from "@freehold/contract/portals/vendor-portal-money";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { submitVendorInvoice } from "./vendor-invoices.ts";
import { listVendorPortalPayments } from "./vendor-payments.ts";

export const vendorPortalMoneyRoutes = (clients: Clients) =>
  routes(vendorPortalMoney, {
    submitVendorInvoice: ({ db, params, body }) => submitVendorInvoice(db, clients, params.id, body),
    listVendorPortalPayments: ({ db, query }) => listVendorPortalPayments(db, query),
  });
