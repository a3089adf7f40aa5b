/** Routes of security deposits. */
import { securityDeposits } from "@freehold/contract/trust/security-deposits";
import { asksForFile } from "@freehold/kit/http/accept";
import { sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createSecurityDepositDeduction, deleteSecurityDepositDeduction } from "./disposition/deductions.ts";
import { getSecurityDepositDisposition } from "./disposition/disposition.ts";
import { listDepositDeadlines } from "./disposition/deadline.queries.ts";
import { finalizeSecurityDeposit } from "./disposition/finalize-disposition.ts";
import { reopenSecurityDeposit } from "./disposition/reopen-disposition.ts";
import { createSecurityDeposit, getSecurityDeposit, listSecurityDeposits, updateSecurityDeposit } from "./security-deposits.ts";
import { applySecurityDeposit } from "./transactions/apply-deposit.ts";
import { recordSecurityDepositReceipt } from "./transactions/receive-deposit.ts";
import { refundSecurityDeposit } from "./transactions/refund-deposit.ts";
import { transferSecurityDeposit } from "./transactions/transfer-deposit.ts";
import { voidSecurityDepositTransaction } from "./transactions/void-transaction.ts";

export const securityDepositRoutes = (clients: Clients) =>
  routes(securityDeposits, {
    listSecurityDeposits: ({ db, query }) => listSecurityDeposits(db, query),
    createSecurityDeposit: ({ db, body }) => createSecurityDeposit(db, clients, body),
    getSecurityDeposit: async ({ db, params }) => ({ securityDeposit: await getSecurityDeposit(db, params.id) }),
    updateSecurityDeposit: ({ db, params, body }) => updateSecurityDeposit(db, params.id, body),
    recordSecurityDepositReceipt: ({ db, params, body }) => recordSecurityDepositReceipt(db, clients, params.id, body),
    createSecurityDepositDeduction: ({ db, params, body }) => createSecurityDepositDeduction(db, clients, params.id, body),
    deleteSecurityDepositDeduction: ({ db, params }) => deleteSecurityDepositDeduction(db, params.id, params.deductionId),
    getSecurityDepositDisposition: async ({ db, params, query, req, res }) => {
      const disposition = await getSecurityDepositDisposition(db, clients, params.id);
      if (!asksForFile(req, "application/pdf", query.format)) return { disposition };
      const { dispositionLetter } = await import("./disposition/disposition-letter.ts");
      return sendStream(req, res, `security-deposit-${params.id}.pdf`, "application/pdf", () => dispositionLetter(disposition));
    },
    listDepositDeadlines: async ({ db }) => ({ depositDeadlines: await listDepositDeadlines(db) }),
    finalizeSecurityDeposit: ({ db, params, body }) => finalizeSecurityDeposit(db, clients, params.id, body),
    reopenSecurityDeposit: ({ db, params, body }) => reopenSecurityDeposit(db, clients, params.id, body.reason),
    refundSecurityDeposit: ({ db, params, body }) => refundSecurityDeposit(db, params.id, body),
    transferSecurityDeposit: ({ db, params, body }) => transferSecurityDeposit(db, clients, params.id, body),
    applySecurityDeposit: ({ db, params, body }) => applySecurityDeposit(db, params.id, body),
    voidSecurityDepositTransaction: ({ db, params, body }) => voidSecurityDepositTransaction(db, clients, params.id, params.transactionId, body.reason),
  });
