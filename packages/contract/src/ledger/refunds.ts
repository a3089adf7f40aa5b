import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers } from "../roles.ts";
import { Id, Instant, PositiveCents, text } from "../values.ts";
import { Payment, paymentMethods, PaymentRefund } from "./payments.ts";
import { trustWarnings } from "../trust/trust-warnings.ts";

export const refunds = operationGroup("Payments", "ledger", {
  refundPayment: {
    method: "POST",
    path: "/api/payments/{id}/refund",
    summary: "refund payments",
    access: adminsAndManagers,
    description:
      "Pays unallocated credit of a received payment back to the payer: debits prepaid rent (2150) and credits the bank account. To refund money that is allocated to charges, remove the allocations first. The status becomes `refunded` once the whole amount was paid back; until then it remains `received`.",
    body: body({
      amountCents: PositiveCents.describe("Amount to refund in cents, at least 1 and at most the unallocated amount of the payment."),
      method: z.enum(paymentMethods).describe("Method by which the money is paid back."),
      bankAccountId: Id.describe(
        "ID of the bank account that the money is paid from. The ID of an account of the chart names the only active bank account that is posted to it (400 `required` with several), or the account itself while there is none. With the policy `trustOverdraft` `block`, a refund that would use money of others in the account is refused with 409 `insufficient_trust_funds`.",
      ),
      referenceNumber: text(1, 60).optional().describe("Number of the check or another reference. Default: none."),
      memo: text(1, 500).optional().describe("Memo of the refund and its journal entry. Default: no memo; the entry is named as a refund."),
      refundedAt: Instant.optional().describe(
        "Time of the refund, not before `receivedAt`, which dates the journal entry. An amount that settled a charge is refunded no earlier than the day on which its allocation was removed. Default: now.",
      ),
    }),
    response: { payment: Payment, refund: PaymentRefund, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
  voidRefund: {
    method: "POST",
    path: "/api/payments/{id}/refunds/{refundId}/void",
    summary: "void refunds",
    access: adminsAndManagers,
    description:
      "Takes back a refund that was not made after all, such as a check that was never cashed: reverses its journal entry, so that the amount is credit of the payment again, and a `refunded` payment becomes `received`. Refused with 409 `invalid_transition` for a voided refund, and `resource_in_use` when the payment was reversed, because the refund was then charged to its lease. Refused with 409 `reconciled_transaction` when a finalized reconciliation has cleared it.",
    body: body({
      reason: text(1, 500).describe("Reason for voiding the refund, stored with the refund for audits."),
      voidedAt: Instant.optional().describe(
        "Time from which the refund is void, not before `refundedAt`, which dates the reversing entry. Default: now, or the time of the refund when it is dated ahead.",
      ),
    }),
    response: { payment: Payment, refund: PaymentRefund },
    errors: [409],
    idempotent: true,
  },
});
