/** The questions that other services ask the ledger. */
import { grpcService } from "@freehold/kit/rpc/grpc";
import type { ExecuteOperations } from "@freehold/kit/rpc/execute-operations";
import { LedgerServiceService, type LedgerServiceServer } from "@freehold/proto/ledger/v1/ledger";
import { setUpLedger, rulesOf } from "./settings/ledger-settings.ts";
import { chartOf } from "./chart/categories.ts";
import type { Clients } from "./clients.ts";
import { dashboardFigures } from "./reporting/dashboard-money.ts";
import { rentChargedThrough } from "./receivables/lease-billing/follow-rents.ts";
import { endLeaseBilling, listLeaseRules, prepareLeaseBilling, type FinalRent } from "./receivables/lease-billing/lease-billing.ts";
import { startLeaseBilling, startLeaseBillings } from "./receivables/lease-billing/start-billing.ts";
import { reviseLeaseBilling } from "./receivables/lease-billing/revise-billing.ts";
import { cancelLeaseBilling } from "./receivables/lease-billing/stop-billing.ts";
import { openOwnerBalances, openTenantBalances, ownerBalances } from "./receivables/lease-billing/balances.queries.ts";
import { leaseBalances, leasesWithBalance, propertyBalances, tenantBalances } from "./receivables/lease-billing/money.queries.ts";
import { paymentsFor } from "./receivables/payments/payment.queries.ts";
import { searchTransactions } from "./reporting/search-money.ts";
import { prorationLines } from "./receivables/recurring-charges/proration.rules.ts";

export const ledgerGrpc = (clients: Clients, perform: ExecuteOperations) =>
  grpcService<LedgerServiceServer>(LedgerServiceService, {
    setUpLedger: async (terms, db) => {
      await setUpLedger(db, terms);
      return {};
    },
    getCategories: async ({ ids }, db) => {
      const chart = await chartOf(db);
      return { categories: ids.flatMap((id) => chart.find(id) ?? []) };
    },
    getPayments: async ({ ids }, db) => ({ payments: await paymentsFor(db, ids) }),
    getLeaseBalances: async ({ leaseIds }, db) => ({ leases: await leaseBalances(db, leaseIds) }),
    listLeasesWithBalance: async (_, db) => ({ leaseIds: await leasesWithBalance(db) }),
    getTenantBalances: async ({ tenantIds }, db) => ({ tenants: await tenantBalances(db, tenantIds) }),
    getOwnerBalances: async ({ ownerIds }, db) => ({ owners: await ownerBalances(db, ownerIds) }),
    listTenantBalances: (_, db) => openTenantBalances(db),
    listOwnerBalances: (_, db) => openOwnerBalances(db),
    getPropertyBalances: async ({ propertyIds }, db) => ({ properties: await propertyBalances(db, propertyIds) }),
    getDashboardFigures: (asked, db) => dashboardFigures(db, asked),
    searchTransactions: (asked, db) => searchTransactions(db, asked),
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
    getRentChargedThrough: async ({ leaseId }, db) => ({ through: (await rentChargedThrough(db, leaseId)) ?? undefined }),
    prorateRents: async ({ spans }, db) => {
      const { prorationMethod: method } = (await rulesOf(db)).policies;
      return { method, lines: prorationLines(method, spans) };
    },
    cancelLeaseBilling: async ({ leaseId, isDeleted }, db) => {
      await cancelLeaseBilling(db, leaseId, isDeleted);
      return {};
    },
    executeOperations: perform,
  });
