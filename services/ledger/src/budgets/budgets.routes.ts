/** Routes of budgets. */
import { budgets } from "@freehold/contract/ledger/budgets";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { inLedgerTimezone } from "../settings/ledger-settings.ts";
import { activateBudget, archiveBudget } from "./budget-status.ts";
import { getBudgetVariance } from "./budget-variance.ts";
import { createBudget, deleteBudget, getBudget, listBudgets, updateBudget } from "./budgets.ts";
import { copyBudget, fillBudgetFromActuals } from "./copy-budget.ts";

export const budgetRoutes = (clients: Clients) =>
  routes(budgets, {
    listBudgets: ({ db, query }) => listBudgets(db, query),
    createBudget: ({ db, body }) => createBudget(db, clients, body),
    getBudget: async ({ db, params }) => ({ budget: await getBudget(db, params.id) }),
    updateBudget: ({ db, params, body }) => updateBudget(db, clients, params.id, body),
    deleteBudget: ({ db, params }) => deleteBudget(db, params.id),
    activateBudget: ({ db, params }) => activateBudget(db, params.id),
    archiveBudget: ({ db, params }) => archiveBudget(db, params.id),
    copyBudget: ({ db, params, body }) => copyBudget(db, clients, params.id, body),
    fillBudgetFromActuals: ({ db, params, body }) => fillBudgetFromActuals(db, params.id, body),
    getBudgetVariance: async ({ db, params, query }) => ({ variance: await getBudgetVariance(await inLedgerTimezone(db), params.id, query) }),
  });
