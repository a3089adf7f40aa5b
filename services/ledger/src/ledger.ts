import { deleteFilesOlderThan } from "@freehold/kit/files/file-store";
import { operationExecutor } from "@freehold/kit/rpc/execute-operations";
import { startService } from "@freehold/kit/runtime/service";
import { accountingPeriodRoutes } from "./periods/accounting-periods.routes.ts";
import { accountingReportRoutes } from "./reporting/accounting-reports.routes.ts";
import { budgetRoutes } from "./budgets/budgets.routes.ts";
import { categoryRoutes } from "./chart/categories.routes.ts";
import { chargeRoutes, importedChargeRoutes } from "./receivables/charges/charges.routes.ts";
import { createClients } from "./clients.ts";
import { depositRoutes } from "./receivables/deposits/deposits.routes.ts";
import { config } from "./config.ts";
import { database as definition } from "./database.ts";
import { jobs } from "./jobs.ts";
import { findImbalance } from "./journal/balance-check.ts";
import { journalEntryRoutes } from "./journal/journal-entries.routes.ts";
import { importedMoneyRoutes } from "./receivables/imports/imported-money.routes.ts";
import { ledgerRoutes } from "./receivables/ledgers/ledgers.routes.ts";
import { ledgerService } from "./ledger.grpc.ts";
import { paymentRoutes } from "./receivables/payments/payments.routes.ts";
import { recurringChargeRoutes } from "./receivables/recurring-charges/recurring-charges.routes.ts";
import { refundRoutes } from "./receivables/refunds/refunds.routes.ts";
import { ownerContributionRoutes } from "./owners/contributions/owner-contributions.routes.ts";
import { ownerLedgerRoutes } from "./owners/ledgers/owner-ledgers.routes.ts";
import { ownerPayableRoutes } from "./owners/payables/owner-payables.routes.ts";
import { ownerStatementRoutes } from "./owners/statements/owner-statements.routes.ts";
import { statementLinks } from "./owners/statements/statement-link.rules.ts";
import { expensePaymentRoutes } from "./payables/expense-payments/expense-payments.routes.ts";
import { expenseRoutes } from "./payables/expenses/expenses.routes.ts";
import { vendorLedgerRoutes } from "./payables/vendors/vendor-ledgers.routes.ts";
import { workOrderCostRoutes } from "./payables/work-orders/work-order-costs.routes.ts";
import { ownerPortalMoneyRoutes } from "./portals/owner/owner-portal-money.routes.ts";
import { tenantPortalMoneyRoutes } from "./portals/tenant/tenant-portal-money.routes.ts";
import { vendorPortalMoneyRoutes } from "./portals/vendor/vendor-portal-money.routes.ts";
import { managementFeeRoutes } from "./payables/management-fees/management-fees.routes.ts";
import { bankAccountRoutes } from "./trust/bank-accounts/bank-accounts.routes.ts";
import { checkRegisterRoutes } from "./trust/check-register/check-register.routes.ts";
import { diagnosticRoutes } from "./trust/diagnostics/diagnostics.routes.ts";
import { reconciliationRoutes } from "./trust/reconciliations/reconciliations.routes.ts";
import { statementLineRoutes } from "./trust/statement-lines/statement-lines.routes.ts";
import { securityDepositRoutes } from "./trust/security-deposits/security-deposits.routes.ts";
import { transferRoutes } from "./trust/transfers/transfers.routes.ts";
import { subscriptions } from "./subscriptions.ts";

const STALE_UPLOAD_MS = 3_600_000;

/** Starts the ledger: its routes, gRPC service, event subscriptions and jobs. */
export function start() {
  const settings = config();
  return startService({
    name: "ledger",
    database: definition,
    databaseUrl: settings.LEDGER_DATABASE_URL,
    settings,
    assemble: async ({ assertions, database, log }) => {
      const uploadDir = settings.STATEMENTS_DIR;
      // A process that was killed leaves what it was receiving.
      if (uploadDir !== undefined) await deleteFilesOlderThan(uploadDir, new Date(Date.now() - STALE_UPLOAD_MS));
      const clients = createClients(
        { identity: settings.IDENTITY_GRPC, portfolio: settings.PORTFOLIO_GRPC, communications: settings.COMMUNICATIONS_GRPC },
        assertions,
      );
      const links = statementLinks(settings.ASSERTION_KEY, settings.PUBLIC_URL);
      const otherRoutes = [
        categoryRoutes,
        journalEntryRoutes(clients),
        recurringChargeRoutes(clients),
        paymentRoutes(clients),
        depositRoutes(clients),
        refundRoutes,
        expenseRoutes(clients),
        expensePaymentRoutes(clients),
        vendorLedgerRoutes(clients),
        workOrderCostRoutes(clients),
        tenantPortalMoneyRoutes(clients),
        ownerPortalMoneyRoutes(clients),
        vendorPortalMoneyRoutes(clients),
        managementFeeRoutes(clients),
        bankAccountRoutes(clients),
        transferRoutes(clients),
        checkRegisterRoutes(clients),
        ownerContributionRoutes(clients),
        ownerLedgerRoutes(clients),
        ownerPayableRoutes(clients),
        ownerStatementRoutes(clients, database, links),
        statementLineRoutes,
        reconciliationRoutes(clients),
        securityDepositRoutes(clients),
        diagnosticRoutes(clients),
        ledgerRoutes(clients),
        accountingReportRoutes,
        accountingPeriodRoutes(clients),
        budgetRoutes(clients),
      ];
      return {
        routes: [...otherRoutes, chargeRoutes(clients)],
        grpc: ledgerService(clients, operationExecutor([...otherRoutes, importedChargeRoutes(clients), importedMoneyRoutes(clients)], log)),
        subscriptions: subscriptions(clients, links),
        jobs: jobs(clients),
        uploadDir,
        integrityCheck: () => findImbalance(database, log),
      };
    },
  });
}
