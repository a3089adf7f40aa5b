/** Routes of expenses. */
import { expenses } from "@freehold/contract/payables/expenses";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { chargeExpenseTenant } from "../tenant-charges/charge-expense-tenant.ts";
import { approveExpense, rejectExpense, voidExpense } from "./expense-status.ts";
import { createExpense, getExpenseWithPayments, listExpenses } from "./expenses.ts";
import { splitExpense } from "./split-expense.ts";
import { updateExpense } from "./update-expense.ts";

export const expenseRoutes = (clients: Clients) =>
  routes(expenses, {
    listExpenses: ({ db, query }) => listExpenses(db, query),
    createExpense: ({ db, body }) => createExpense(db, clients, body),
    getExpense: ({ db, params }) => getExpenseWithPayments(db, params.id),
    updateExpense: ({ db, params, body }) => updateExpense(db, clients, params.id, body),
    voidExpense: ({ db, params, body }) => voidExpense(db, params.id, body.reason),
    approveExpense: ({ db, params, body }) => approveExpense(db, params.id, body.reason),
    rejectExpense: ({ db, params, body }) => rejectExpense(db, params.id, body.reason),
    chargeExpenseTenant: ({ db, params, body }) => chargeExpenseTenant(db, clients, params.id, body),
    splitExpense: ({ db, params, body }) => splitExpense(db, clients, params.id, body.lines),
  });
