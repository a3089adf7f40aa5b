/** Routes of payments of expenses. */
import { expensePayments } from "@freehold/contract/payables/expense-payments";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { allocateExpensePayment, deleteExpensePaymentAllocation } from "./allocate-expense-payment.ts";
import { failExpensePayment, issueExpensePayment, voidExpensePayment } from "./expense-payment-status.ts";
import { getExpensePayment, listExpensePayments, updateExpensePayment } from "./expense-payments.ts";
import { recordExpensePayment } from "./record-expense-payment.ts";

export const expensePaymentRoutes = (clients: Clients) =>
  routes(expensePayments, {
    listExpensePayments: ({ db, query }) => listExpensePayments(db, query),
    recordExpensePayment: ({ db, body }) => recordExpensePayment(db, clients, body),
    getExpensePayment: async ({ db, params }) => ({ expensePayment: await getExpensePayment(db, params.id) }),
    updateExpensePayment: ({ db, params, body }) => updateExpensePayment(db, params.id, body),
    allocateExpensePayment: ({ db, params, body }) => allocateExpensePayment(db, clients, params.id, body.allocations),
    issueExpensePayment: ({ db, params }) => issueExpensePayment(db, clients, params.id),
    failExpensePayment: ({ db, params }) => failExpensePayment(db, params.id),
    voidExpensePayment: ({ db, params, body }) => voidExpensePayment(db, params.id, body.reason),
    deleteExpensePaymentAllocation: ({ db, params }) => deleteExpensePaymentAllocation(db, params.id, params.allocationId),
  });
