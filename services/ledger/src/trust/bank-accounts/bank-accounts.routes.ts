/** Routes of bank accounts, their registers and sub-ledgers, and of fees and interest of the bank. */
import { bankAccounts } from "@freehold/contract/trust/bank-accounts";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createBankAdjustment, voidBankAdjustment } from "../adjustments/bank-adjustments.ts";
import { readBankBalances } from "./balances.ts";
import { archiveBankAccount, createBankAccount, getBankAccount, listBankAccounts, updateBankAccount } from "./bank-accounts.ts";
import { listBankTransactions } from "./register.ts";
import { listSubLedgers } from "./sub-ledgers.ts";

export const bankAccountRoutes = (clients: Clients) =>
  routes(bankAccounts, {
    listBankAccounts: ({ db, query }) => listBankAccounts(db, query),
    createBankAccount: ({ db, body }) => createBankAccount(db, clients, body),
    getBankAccount: async ({ db, params }) => {
      const bankAccount = await getBankAccount(db, params.id);
      return { bankAccount, balances: await readBankBalances(db, bankAccount) };
    },
    updateBankAccount: ({ db, params, body }) => updateBankAccount(db, clients, params.id, body),
    archiveBankAccount: ({ db, params }) => archiveBankAccount(db, params.id),
    listBankTransactions: ({ db, params, query }) => listBankTransactions(db, params.id, query),
    listSubLedgers: ({ db, params, query }) => listSubLedgers(db, clients, params.id, query),
    createBankAdjustment: ({ db, params, body }) => createBankAdjustment(db, clients, params.id, body),
    voidBankAdjustment: ({ db, params, body }) => voidBankAdjustment(db, clients, params.id, params.adjustmentId, body.reason),
  });
