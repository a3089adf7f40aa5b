/** gRPC service of the ledger, called by the other services. */
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { transaction } from "@freehold/kit/db/transaction";
import { analyzeGrownTables } from "@freehold/kit/db/batches/analyze-grown-tables";
import { grpcService } from "@freehold/kit/rpc/grpc";
import type { ExecuteOperations } from "@freehold/kit/rpc/execute-operations";
import { LedgerServiceService, type LedgerServiceServer } from "@freehold/proto/ledger/v1/ledger";
import { getLedgerSettings, inLedgerTimezone, saveLedgerSettings, setUpLedger } from "./settings/ledger-settings.ts";
import { getChart } from "./chart/categories.ts";
import type { Clients } from "./clients.ts";
import { holdPostings, releasePostings } from "./journal/posting-holds.ts";
import { getDashboardFigures } from "./reporting/dashboard-figures.ts";
import { getRentChargedThrough } from "./receivables/lease-billing/sync-rent-rules.ts";
import { inTurnOfLeases, listLeaseRules } from "./receivables/lease-billing/lease-billing.ts";
import { prepareLeaseBilling } from "./receivables/lease-billing/prepare-billing.ts";
import { startImportedBillings, startLeaseBilling, startLeaseBillings } from "./receivables/lease-billing/start-billing.ts";
import { reviseLeaseBilling } from "./receivables/lease-billing/revise-billing.ts";
import { endLeaseBilling, cancelLeaseBilling } from "./receivables/lease-billing/end-billing.ts";
import type { FinalRent } from "./receivables/lease-billing/termination.ts";
import { getOwnerBalances, listOwnerBalances } from "./owners/ledgers/owner-balances.ts";
import { findWorkOrderExpenses } from "./payables/expenses/work-order-expenses.queries.ts";
import { getVendorBalances, listLeaseBalances, listTenantBalances, listVendorBalances } from "./receivables/balances/open-balances.queries.ts";
import { findBankAccounts, listAllBankAccounts } from "./trust/bank-accounts/bank-account-references.ts";
import { getPropertyMoney } from "./trust/bank-accounts/property-money.queries.ts";
import { getLeaseBalances, getPropertyBalances, getTenantBalances } from "./receivables/balances/balances.queries.ts";
import { findPayments } from "./receivables/payments/payment.queries.ts";
import { findRecordIds } from "./record-references.queries.ts";
import { searchTransactions } from "./reporting/search/transaction-search.ts";
import { prorationLines } from "./receivables/recurring-charges/proration.rules.ts";

export const ledgerService = (clients: Clients, executeOperations: ExecuteOperations) =>
  grpcService<LedgerServiceServer>(LedgerServiceService, ["identity", "portfolio", "imports"], {
    setUpLedger: async (settings, db) => {
      await setUpLedger(db, settings);
      return {};
    },
    saveLedgerSettings: async (settings, db) => {
      await transaction(db, (tx) => saveLedgerSettings(tx, settings));
      return {};
    },
    getCategories: async ({ ids }, db) => {
      const chart = await getChart(db);
      return { categories: ids.flatMap((id) => chart.findAccount(id) ?? []) };
    },
    getPayments: async ({ ids }, db) => ({ payments: await findPayments(db, ids) }),
    findRecords: async ({ type, ids }, db) => ({ ids: await findRecordIds(db, type, ids) }),
    getLeaseBalances: async ({ leaseIds }, db) => ({ leases: await getLeaseBalances(await inLedgerTimezone(db), leaseIds) }),
    listLeaseBalances: (_, db) => listLeaseBalances(db),
    getTenantBalances: async ({ tenantIds }, db) => ({ tenants: await getTenantBalances(db, tenantIds) }),
    getOwnerBalances: async ({ ownerIds }, db) => ({ owners: await getOwnerBalances(db, clients, ownerIds) }),
    listTenantBalances: (_, db) => listTenantBalances(db),
    listOwnerBalances: (_, db) => listOwnerBalances(db, clients),
    getPropertyMoney: ({ propertyId }, db) => getPropertyMoney(db, propertyId),
    getVendorBalances: async ({ vendorIds }, db) => ({ vendors: await getVendorBalances(db, vendorIds) }),
    listVendorBalances: (_, db) => listVendorBalances(db),
    listWorkOrderExpenses: async ({ workOrderIds }, db) => ({ expenses: await findWorkOrderExpenses(withOfficeReach(db), workOrderIds) }),
    getBankAccounts: async ({ ids }, db) => ({ bankAccounts: await findBankAccounts(db, ids) }),
    listBankAccounts: async (_, db) => ({ bankAccounts: await listAllBankAccounts(db) }),
    getPropertyBalances: async ({ propertyIds }, db) => ({ properties: await getPropertyBalances(await inLedgerTimezone(db), propertyIds) }),
    getDashboardFigures: (request, db) => getDashboardFigures(db, request),
    searchTransactions: async (request, db) => searchTransactions(await inLedgerTimezone(db), request),
    // Portfolio, which alone knows the occupants of a lease, has checked that a tenant is one of them.
    listLeaseRules: async ({ leaseIds }, db) => ({ recurringChargeRules: await listLeaseRules(withOfficeReach(db), leaseIds), charges: [] }),
    prepareLeaseBilling: ({ lease }, db) => prepareLeaseBilling(db, clients, lease!),
    startLeaseBilling: ({ lease, chargeProration }, db) =>
      inTurnOfLeases([lease!.id], async () => startLeaseBilling(await inLedgerTimezone(db), clients, lease!, chargeProration)),
    startLeaseBillings: async ({ starts }, db) => {
      const requested = starts.map(({ lease, chargeProration }) => ({ lease: lease!, chargeProration }));
      const ids = requested.map(({ lease }) => lease.id);
      const billings = await inTurnOfLeases(ids, async () => startLeaseBillings(await inLedgerTimezone(db), clients, requested));
      await analyzeGrownTables(db, starts.length);
      return { billings };
    },
    startImportedBillings: async ({ leases }, db) => {
      const leasesById = new Map(leases.map((lease) => [lease.id, lease]));
      const read = async (ids: readonly string[]) => ids.map((id) => leasesById.get(id)!);
      await startImportedBillings(await inLedgerTimezone(db), clients, [...leasesById.keys()], read);
      await analyzeGrownTables(db, leases.length);
      return {};
    },
    endLeaseBilling: ({ lease, finalRent, ...terms }, db) =>
      inTurnOfLeases([lease!.id], async () => endLeaseBilling(await inLedgerTimezone(db), clients, lease!, { ...terms, finalRent: finalRent as FinalRent })),
    reviseLeaseBilling: ({ lease }, db) => reviseLeaseBilling(db, clients, lease!),
    getRentChargedThrough: async ({ leaseId }, db) => ({ through: (await getRentChargedThrough(db, leaseId)) ?? undefined }),
    prorateRents: async ({ spans }, db) => {
      const { prorationMethod: method } = (await getLedgerSettings(db)).policies;
      return { method, lines: prorationLines(method, spans) };
    },
    cancelLeaseBilling: async ({ leaseId, isDeleted }, db) => {
      await cancelLeaseBilling(db, clients, leaseId, isDeleted);
      return {};
    },
    holdPostings: async ({ holdId, recordIds }, db) => {
      await holdPostings(db, holdId, recordIds);
      return {};
    },
    releasePostings: async ({ holdId }, db) => {
      await releasePostings(db, holdId);
      return {};
    },
    executeOperations,
  });
