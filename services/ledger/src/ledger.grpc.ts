/** The questions that other services ask the ledger. */
import { grpcDoor } from "@freehold/kit/grpc";
import type { Perform } from "@freehold/kit/perform";
import { LedgerServiceService, type LedgerServiceServer } from "@freehold/proto/ledger/v1/ledger";
import { openBooks, rulesOf } from "./books/books.ts";
import { chartOf } from "./categories/categories.ts";
import type { Clients } from "./clients.ts";
import { dashboardMoney } from "./dashboard/dashboard-money.ts";
import { rentChargedThrough } from "./lease-billing/follow-rents.ts";
import { endLeaseBilling, listLeaseRules, prepareLeaseBilling, type FinalRent } from "./lease-billing/lease-billing.ts";
import { startLeaseBilling, startLeaseBillings } from "./lease-billing/start-billing.ts";
import { reviseLeaseBilling } from "./lease-billing/revise-billing.ts";
import { cancelLeaseBilling } from "./lease-billing/stop-billing.ts";
import { openOwnerBalances, openTenantBalances, ownerBalances } from "./lease-billing/balances.queries.ts";
import { leaseMoney, leasesWithBalance, propertyMoney, tenantBalances } from "./lease-billing/money.queries.ts";
import { paymentsFor } from "./payments/payment.queries.ts";
import { searchMoney } from "./search/search-money.ts";
import { prorationLines } from "./recurring-charges/proration.rules.ts";

export const ledgerGrpc = (clients: Clients, perform: Perform) =>
  grpcDoor<LedgerServiceServer>(LedgerServiceService, {
    openBooks: async (terms, db) => {
      await openBooks(db, terms);
      return {};
    },
    getCategories: async ({ ids }, db) => {
      const chart = await chartOf(db);
      return { categories: ids.flatMap((id) => chart.find(id) ?? []) };
    },
    getPayments: async ({ ids }, db) => ({ payments: await paymentsFor(db, ids) }),
    getLeaseMoney: async ({ leaseIds }, db) => ({ leases: await leaseMoney(db, leaseIds) }),
    listLeasesWithBalance: async (_, db) => ({ leaseIds: await leasesWithBalance(db) }),
    getTenantBalances: async ({ tenantIds }, db) => ({ tenants: await tenantBalances(db, tenantIds) }),
    getOwnerBalances: async ({ ownerIds }, db) => ({ owners: await ownerBalances(db, ownerIds) }),
    listTenantBalances: (_, db) => openTenantBalances(db),
    listOwnerBalances: (_, db) => openOwnerBalances(db),
    getPropertyMoney: async ({ propertyIds }, db) => ({ properties: await propertyMoney(db, propertyIds) }),
    getDashboardMoney: (asked, db) => dashboardMoney(db, asked),
    searchMoney: (asked, db) => searchMoney(db, asked),
    listLeaseRules: async ({ leaseIds }, db) => ({ recurringChargeRules: await listLeaseRules(db, leaseIds), charges: [] }),
    prepareLeaseBilling: ({ lease }, db) => prepareLeaseBilling(db, clients, lease!),
    startLeaseBilling: ({ lease, chargeProration }, db) => startLeaseBilling(db, clients, lease!, chargeProration),
    startLeaseBillings: async ({ starts }, db) => ({
      billings: await startLeaseBillings(
        db,
        clients,
        starts.map(({ lease, chargeProration }) => ({ lease: lease!, chargeProration })),
      ),
    }),
    endLeaseBilling: ({ lease, finalRent, ...terms }, db) => endLeaseBilling(db, clients, lease!, { ...terms, finalRent: finalRent as FinalRent }),
    reviseLeaseBilling: ({ lease }, db) => reviseLeaseBilling(db, clients, lease!),
    getRentCharged: async ({ leaseId }, db) => ({ through: (await rentChargedThrough(db, leaseId)) ?? undefined }),
    prorateRents: async ({ spans }, db) => {
      const { prorationMethod: method } = (await rulesOf(db)).policies;
      return { method, lines: prorationLines(method, spans) };
    },
    cancelLeaseBilling: async ({ leaseId, isDeleted }, db) => {
      await cancelLeaseBilling(db, leaseId, isDeleted);
      return {};
    },
    perform,
  });
