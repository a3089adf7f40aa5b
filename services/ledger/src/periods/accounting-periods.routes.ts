/** Routes of accounting periods. */
import { accountingPeriods } from "@freehold/contract/ledger/accounting-periods";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { checkAccountingPeriod, listAccountingPeriods } from "./accounting-periods.ts";
import { closeAccountingPeriod, reopenAccountingPeriod, softCloseAccountingPeriod } from "./close-periods.ts";

export const accountingPeriodRoutes = (clients: Clients) =>
  routes(accountingPeriods, {
    listAccountingPeriods: async ({ db, query }) => ({ periods: await listAccountingPeriods(db, query.year) }),
    checkAccountingPeriod: async ({ db, params }) => ({ checklist: await checkAccountingPeriod(db, clients, params.id) }),
    softCloseAccountingPeriod: ({ db, params, body }) => softCloseAccountingPeriod(db, clients, params.id, body),
    closeAccountingPeriod: ({ db, params, body }) => closeAccountingPeriod(db, clients, params.id, body),
    reopenAccountingPeriod: ({ db, params, body }) => reopenAccountingPeriod(db, params.id, body.reason),
  });
