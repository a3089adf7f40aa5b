import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, PlainDate, PositiveCents, text } from "../values.ts";
import { paymentMethods } from "./payments.ts";
import { trustWarnings } from "../trust/trust-warnings.ts";

export const depositStatuses = ["posted", "voided"] as const;

export const Deposit = z
  .strictObject({
    id: Id.describe("ID of the deposit."),
    organizationId: Id.describe("ID of the organization the deposit belongs to."),
    bankAccountId: Id.describe("ID of the bank account that the money was deposited to; of the account of the chart while no bank account is posted to it."),
    depositedOn: PlainDate.describe("Day of the deposit, which dates the journal entry."),
    amountCents: PositiveCents.describe("Amount of the deposit in cents: the sum of its payments."),
    status: z.enum(depositStatuses).describe("Status of the deposit. The money of a `voided` deposit is undeposited again."),
    journalEntryId: Id.describe("ID of the journal entry of the deposit."),
    payments: z
      .array(
        z.strictObject({
          paymentId: Id.describe("ID of the payment."),
          tenantName: z.string().describe("Full name of the tenant who paid."),
          amountCents: PositiveCents.describe("Amount of the payment in cents."),
          paymentMethod: z.enum(paymentMethods),
          checkNumber: z.string().nullable().describe("Number of the check, or null."),
          receivedAt: Instant.describe("Time at which the money was received."),
        }),
      )
      .describe("Payments of the deposit, in the order of their receipt. Those of a voided deposit remain listed."),
    createdAt: Instant.describe("Time at which the deposit was recorded."),
    updatedAt: Instant.describe("Time at which the deposit was last changed."),
    voidedAt: Instant.nullable().describe("Time at which the deposit was voided. Null for a deposit that was not voided."),
    voidReason: z.string().nullable().describe("Reason for voiding the deposit, or null."),
  })
  .meta({ id: "Deposit", description: "Deposit of received payments at a bank." });
export type Deposit = z.output<typeof Deposit>;

export const deposits = operationGroup("Deposits", "ledger", {
  listDeposits: {
    method: "GET",
    path: "/api/deposits",
    summary: "list deposits",
    access: adminsAndManagers,
    query: listQuery(["depositedOn", "amountCents", "createdAt"], {
      bankAccountId: Id.optional().describe("Return only deposits to this bank account, or to all that are posted to this account of the chart."),
      paymentId: Id.optional().describe("Return only deposits of this payment."),
      status: csvEnum(depositStatuses).optional().describe("Return only deposits with these statuses, repeated or comma-separated."),
      depositedAfter: PlainDate.optional().describe("Return only deposits made on or after this date."),
      depositedBefore: PlainDate.optional().describe("Return only deposits made on or before this date."),
    }),
    response: page("deposits", Deposit),
  },
  createDeposit: {
    method: "POST",
    path: "/api/deposits",
    summary: "record deposits",
    access: adminsAndManagers,
    description:
      "Moves the money of received payments from undeposited funds (1050) to a bank account, in one journal entry with the properties, tenants and leases of the payments. A payment is in at most one deposit that is not voided (409). When a deposited payment is reversed, the bank account is credited.",
    body: body({
      bankAccountId: Id.describe(
        "ID of the trust account that the money is deposited to; a `business` account is refused (400 `not_allowed`). The ID of an account of the chart names the only active bank account that is posted to it (400 `required` with several), or the account itself while there is none.",
      ),
      depositedOn: PlainDate.describe("Day of the deposit, not before the receipt of any of its payments."),
      paymentIds: z
        .array(Id)
        .min(1)
        .max(500)
        .refine((ids) => new Set(ids).size === ids.length, { params: { code: "unique" }, message: "Name each payment only once." })
        .describe("IDs of the payments, each named once and at most 500."),
    }),
    response: { deposit: Deposit },
    errors: [409],
    idempotent: true,
  },
  getDeposit: { method: "GET", path: "/api/deposits/{id}", summary: "read a deposit", access: adminsAndManagers, response: { deposit: Deposit } },
  voidDeposit: {
    method: "POST",
    path: "/api/deposits/{id}/void",
    summary: "void deposits",
    access: adminsAndManagers,
    description:
      "Reverses the journal entry of the deposit on its own day, as if it had not been made, so that its payments can be deposited again with any date. Refused with 409 `resource_in_use` when one of its payments was reversed since, with 409 `reconciled_transaction` when a finalized reconciliation has cleared it, and with 409 `insufficient_trust_funds` under the policy `trustOverdraft` `block` when the money has been used, by the property or by one of its owners.",
    body: body({ reason: text(1, 500).optional().describe("Reason for voiding the deposit, stored with the deposit for audits. Default: none.") }),
    response: { deposit: Deposit, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
});
