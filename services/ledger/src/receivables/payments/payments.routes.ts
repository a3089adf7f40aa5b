/** Routes of payments. */
import { payments } from "@freehold/contract/ledger/payments";
import { conflict } from "@freehold/kit/errors";
import { asksForFile } from "@freehold/kit/http/accept";
import { sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { allocatePayment } from "../allocations/allocate-payment.ts";
import { autoAllocatePayment } from "../allocations/auto-allocate-payment.ts";
import { deletePaymentAllocation } from "../allocations/delete-payment-allocation.ts";
import { getPayment, listPayments } from "./payments.ts";
import { recordPayment } from "./record-payment.ts";
import { getPaymentReceipt } from "../receipts/receipt.ts";
import { reversePayment } from "./reverse-payment.ts";

export const paymentRoutes = (clients: Clients) =>
  routes(payments, {
    listPayments: ({ db, query }) => listPayments(db, query),
    recordPayment: ({ db, body }) => recordPayment(db, clients, body),
    getPayment: async ({ db, params }) => ({ payment: await getPayment(db, params.id) }),
    getPaymentReceipt: async ({ db, params, query, req, res }) => {
      const receipt = await getPaymentReceipt(db, clients, params.id);
      if (!asksForFile(req, "application/pdf", query.format)) return { receipt };
      const { receiptPdf } = await import("../receipts/receipt-pdf.ts");
      return sendStream(req, res, `${receipt.number}.pdf`, "application/pdf", () => receiptPdf(receipt));
    },
    editPayment: () => Promise.reject(conflict("A payment cannot be edited. Reverse it and record it again.", "payment_immutable")),
    allocatePayment: ({ db, params, body }) => allocatePayment(db, params.id, body),
    autoAllocatePayment: ({ db, params, body }) => autoAllocatePayment(db, params.id, body),
    deletePaymentAllocation: ({ db, params }) => deletePaymentAllocation(db, clients, params.id, params.allocationId),
    reversePayment: ({ db, params, body }) => reversePayment(db, clients, params.id, body),
  });
