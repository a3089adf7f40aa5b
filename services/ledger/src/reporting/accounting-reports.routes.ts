/** Routes of the reports on the journal. */
import { accountingReports } from "@freehold/contract/ledger/accounting-reports";
import { routes } from "@freehold/kit/http/routes";
import { listAccountBalances } from "./account-balances.ts";
import { listCategoryRollups } from "./category-rollups.ts";
import { listGeneralLedger } from "./general-ledger.ts";
import { getTrialBalance } from "./trial-balance.ts";

export const accountingReportRoutes = routes(accountingReports, {
  getTrialBalance: async ({ db, query }) => ({ trialBalance: await getTrialBalance(db, query) }),
  listGeneralLedger: ({ db, query }) => listGeneralLedger(db, query),
  listAccountBalances: ({ db, query }) => listAccountBalances(db, query),
  listCategoryRollups: async ({ db, query }) => ({ rollups: await listCategoryRollups(db, query) }),
});
