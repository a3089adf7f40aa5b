/** Routes of the reports on the journal. */
import { accountingReports } from "@freehold/contract/ledger/accounting-reports";
import { routes } from "@freehold/kit/http/routes";
import { inLedgerTimezone } from "../settings/ledger-settings.ts";
import { listAccountBalances } from "./account-balances.ts";
import { listCategoryRollups } from "./category-rollups.ts";
import { listGeneralLedger } from "./general-ledger.ts";
import { getTrialBalance } from "./trial-balance.ts";

export const accountingReportRoutes = routes(accountingReports, {
  getTrialBalance: async ({ db, query }) => ({ trialBalance: await getTrialBalance(await inLedgerTimezone(db), query) }),
  listGeneralLedger: ({ db, query }) => listGeneralLedger(db, query),
  listAccountBalances: async ({ db, query }) => listAccountBalances(await inLedgerTimezone(db), query),
  listCategoryRollups: async ({ db, query }) => ({ rollups: await listCategoryRollups(db, query) }),
});
