import { performer } from "@freehold/kit/perform";
import { startService } from "@freehold/kit/service";
import { categoriesHttp } from "./categories/categories.http.ts";
import { chargesHttp } from "./charges/charges.http.ts";
import { clients } from "./clients.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { jobs } from "./jobs.ts";
import { findImbalance } from "./journal-entries/probe.ts";
import { journalEntriesHttp } from "./journal-entries/journal-entries.http.ts";
import { ledgerGrpc } from "./ledger.grpc.ts";
import { paymentsHttp } from "./payments/payments.http.ts";
import { recurringChargesHttp } from "./recurring-charges/recurring-charges.http.ts";
import { subscriptions } from "./subscriptions.ts";

/** The ledger service from its parts. */
export function start() {
  const settings = config();
  return startService({
    name: "ledger",
    database,
    databaseUrl: settings.LEDGER_DATABASE_URL,
    settings,
    assemble: ({ seals, database, log }) => {
      const asked = clients({ identity: settings.IDENTITY_GRPC, portfolio: settings.PORTFOLIO_GRPC }, seals);
      const doors = [categoriesHttp, journalEntriesHttp(asked), chargesHttp(asked), recurringChargesHttp(asked), paymentsHttp(asked)];
      return {
        doors,
        grpc: ledgerGrpc(asked, performer(doors, log)),
        subscriptions: subscriptions(asked),
        jobs: jobs(asked),
        probe: () => findImbalance(database),
      };
    },
  });
}
