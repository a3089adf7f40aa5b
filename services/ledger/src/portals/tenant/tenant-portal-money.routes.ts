/** Routes of the money of tenants in their portal. */
import { tenantPortalMoney } from "@freehold/contract/portals/tenant-portal-money";
import { asksForFile } from "@freehold/kit/http/accept";
import { sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getTenantPortalBalance } from "./tenant-balance.ts";
import { listTenantPortalCharges } from "./tenant-charges.ts";
import { listTenantPortalLedger } from "./tenant-ledger.ts";
import { getTenantPortalReceipt, listTenantPortalPayments } from "./tenant-payments.ts";
import { getTenantPortalSecurityDeposit, listTenantPortalSecurityDeposits } from "./tenant-security-deposits.ts";

export const tenantPortalMoneyRoutes = (clients: Clients) =>
  routes(tenantPortalMoney, {
    getTenantPortalBalance: ({ db, query }) => getTenantPortalBalance(db, clients, query.leaseId),
    listTenantPortalCharges: ({ db, query }) => listTenantPortalCharges(db, clients, query),
    listTenantPortalPayments: ({ db, query }) => listTenantPortalPayments(db, clients, query),
    getTenantPortalReceipt: async ({ db, params, query, req, res }) => {
      const receipt = await getTenantPortalReceipt(db, clients, params.id);
      if (!asksForFile(req, "application/pdf", query.format)) return { receipt };
      const { receiptPdf } = await import("../../receivables/receipts/receipt-pdf.ts");
      return sendStream(req, res, `${receipt.number}.pdf`, "application/pdf", () => receiptPdf(receipt));
    },
    listTenantPortalLedger: ({ db, query }) => listTenantPortalLedger(db, clients, query),
    listTenantPortalSecurityDeposits: ({ db, query }) => listTenantPortalSecurityDeposits(db, clients, query),
    getTenantPortalSecurityDeposit: ({ db, params }) => getTenantPortalSecurityDeposit(db, clients, params.id),
  });
