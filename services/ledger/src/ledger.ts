import { operationExecutor } from "@freehold/kit/rpc/execute-operations";
import { startService } from "@freehold/kit/runtime/service";
import { categoriesHttp } from "./chart/categories.routes.ts";
import { chargesHttp } from "./receivables/charges/charges.routes.ts";
import { clients } from "./clients.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { jobs } from "./jobs.ts";
import { findImbalance } from "./journal/probe.ts";
import { journalEntriesHttp } from "./journal/journal-entries.routes.ts";
import { ledgerGrpc } from "./ledger.grpc.ts";
import { paymentsHttp } from "./receivables/payments/payments.routes.ts";
import { recurringChargesHttp } from "./receivables/recurring-charges/recurring-charges.routes.ts";
import { subscriptions } from "./subscriptions.ts";

/** The ledger service from its parts. */
export function start() {
  const settings = config();
  return startService({
    name: "ledger",
    database,
    databaseUrl: settings.LEDGER_DATABASE_URL,
    settings,
    assemble: ({ assertions, database, log }) => {
      const asked = clients({ identity: settings.IDENTITY_GRPC, portfolio: settings.PORTFOLIO_GRPC }, assertions);
      const doors = [categoriesHttp, journalEntriesHttp(asked), chargesHttp(asked), recurringChargesHttp(asked), paymentsHttp(asked)];
      return {
        routes: doors,
        grpc: ledgerGrpc(asked, operationExecutor(doors, log)),
        subscriptions: subscriptions(asked),
        jobs: jobs(asked),
        integrityCheck: () => findImbalance(database),
      };
    },
  });
}
