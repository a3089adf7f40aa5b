import { z } from "zod";
import { paymentMethods } from "../ledger/payments.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, PlainDate, PositiveCents, text } from "../values.ts";
import {
  deductionCategories,
  DepositDeadline,
  depositHolders,
  DispositionStatement,
  dispositionMethods,
  SecurityDeposit,
  securityDepositStatuses,
} from "./security-deposit.schema.ts";
import { trustWarnings } from "./trust-warnings.ts";

const BANK_ACCOUNT =
  "The ID of an account of the chart names the only active bank account that is posted to it (400 `required` with several), or the account itself while there is none.";
const PLACE = `A business account is not allowed. Default: \`bankAccountId\` of the deposit, otherwise the bank account that holds its money.`;
const FUNDS =
  "With the policy `trustOverdraft` `block`, it is refused with 409 `insufficient_trust_funds` when the bank account holds too little of the deposit, or lacks money of other tenants. A deposit whose money is in no bank account yet is refused in the same way.";
const response = { securityDeposit: SecurityDeposit };
const paidResponse = { ...response, ...trustWarnings };
const reason = text(1, 500).describe("Reason, stored for audits.");

export const securityDeposits = operationGroup("Security deposits", "ledger", {
  listSecurityDeposits: {
    method: "GET",
    path: "/api/trust/security-deposits",
    summary: "list security deposits",
    access: officeRoles,
    query: listQuery(["createdAt", "dispositionDueOn", "requiredCents"], {
      leaseId: Id.optional().describe("Return only deposits of this lease and of the other leases of its tenancy."),
      tenantId: Id.optional().describe("Return only deposits of this tenant."),
      propertyId: Id.optional().describe("Return only deposits of this property."),
      status: csvEnum(securityDepositStatuses).optional().describe("Return only deposits with these statuses, repeated or comma-separated."),
      dueBefore: PlainDate.optional().describe("Return only deposits whose disposition is due on or before this date."),
    }),
    response: page("securityDeposits", SecurityDeposit),
  },
  createSecurityDeposit: {
    method: "POST",
    path: "/api/trust/security-deposits",
    summary: "create security deposits",
    access: adminsAndManagers,
    description:
      "Creates the security deposit of a tenancy, which has one at a time (409 `duplicate`). A charge of type `deposit` that is posted otherwise belongs to the open deposit of its tenancy, and creates one where there is none.",
    body: body({
      leaseId: Id.describe("ID of the lease."),
      requiredCents: PositiveCents.describe("Amount of the deposit in cents."),
      bankAccountId: Id.optional().describe(
        "ID of the trust account in which the deposit is kept. Default: none, for the account in which its payments are deposited.",
      ),
      holder: z.enum(depositHolders).default("organization").describe("Holder of the money. Default: `organization`."),
      chargeTenant: z.boolean().default(true).describe("`true` posts a deposit charge that is due today. Default: `true`."),
    }),
    response,
    errors: [409],
    idempotent: true,
  },
  getSecurityDeposit: { method: "GET", path: "/api/trust/security-deposits/{id}", summary: "read a security deposit", access: officeRoles, response },
  updateSecurityDeposit: {
    method: "PATCH",
    path: "/api/trust/security-deposits/{id}",
    summary: "change security deposits",
    access: adminsAndManagers,
    description:
      "A change of `moveOutDate` computes `dispositionDueOn` anew, unless that is sent, too. After the disposition was finalized, only `forwardingAddress` can be changed (409 `invalid_transition`).",
    body: body({
      requiredCents: PositiveCents.optional().describe("Amount of the deposit in cents. No charge is changed."),
      bankAccountId: Id.nullable().optional().describe("ID of the trust account in which the deposit is kept, or null. Moves no money."),
      moveOutDate: PlainDate.nullable()
        .optional()
        .describe("Day of the move-out, which then no longer follows the lease and its occupants. Null lets it follow them again."),
      dispositionDueOn: PlainDate.nullable().optional().describe("Day by which the disposition must be sent, or null."),
      forwardingAddress: text(1, 500).nullable().optional().describe("Address of the tenant after the move-out, or null."),
    }),
    response,
    errors: [409],
  },
  recordSecurityDepositReceipt: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/receipts",
    summary: "record receipts of security deposits",
    access: adminsAndManagers,
    description:
      "Either allocates credit of an existing payment (`paymentId`) to the deposit, or records a new payment and allocates it, in one transaction. What exceeds the open deposit charges is charged first. At most what is missing of `requiredCents` can be received (400 `sum_exceeded`). For a deposit that the owner holds, the receipt by the owner settles the charges without money of the organization, and `paymentId`, `tenantId` and `bankAccountId` are not allowed.",
    body: body({
      paymentId: Id.optional().describe(
        "ID of a received payment whose unallocated amount is allocated. No other member but `amountCents` is allowed with it.",
      ),
      amountCents: PositiveCents.optional().describe(
        "Amount in cents. Required without `paymentId`; with it, the default is what the payment has and the deposit lacks.",
      ),
      paymentMethod: z.enum(paymentMethods).optional().describe("Method of the payment. Required without `paymentId`."),
      receivedAt: Instant.optional().describe("Time at which the money was received. Required without `paymentId`."),
      tenantId: Id.optional().describe("ID of the tenant who paid, one who may pay for the lease. Default: the tenant of the deposit."),
      checkNumber: text(1, 40).optional().describe("Number of the check. Default: none."),
      bankAccountId: Id.optional().describe(
        `ID of the bank account to which the payment was deposited on the same day, no business account. ${BANK_ACCOUNT} Default: none; the money is undeposited.`,
      ),
    }).superRefine(({ paymentId, ...terms }, context) => {
      if (paymentId) return;
      for (const path of ["amountCents", "paymentMethod", "receivedAt"] as const)
        if (terms[path] === undefined)
          context.addIssue({ code: "custom", path: [path], params: { code: "required" }, message: `Set ${path}, or name a payment by paymentId.` });
    }),
    response,
    errors: [409],
    idempotent: true,
  },
  createSecurityDepositDeduction: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/deductions",
    summary: "add deductions to security deposits",
    access: adminsAndManagers,
    description: "Adds a deduction, which is a draft until the disposition is finalized. The deductions cannot exceed the amount held (400 `sum_exceeded`).",
    body: body({
      category: z.enum(deductionCategories).describe("Category of the deduction."),
      description: text(1, 500).describe("Description of the deduction, shown in the disposition letter."),
      amountCents: PositiveCents.describe("Amount of the deduction in cents."),
      chargeId: Id.optional().describe("ID of an open charge of the tenancy that the deduction settles. Default: none; the deduction becomes income."),
      documentIds: z.array(Id).max(20).default([]).describe("IDs of documents about the deduction, such as invoices and photos. Default: none."),
    }),
    response,
    errors: [409],
    idempotent: true,
  },
  deleteSecurityDepositDeduction: {
    method: "DELETE",
    path: "/api/trust/security-deposits/{id}/deductions/{deductionId}",
    summary: "delete deductions of security deposits",
    access: adminsAndManagers,
    description: "Deletes a draft. After the disposition was finalized, reopen it first (409 `invalid_transition`).",
    response,
    errors: [409],
  },
  getSecurityDepositDisposition: {
    method: "GET",
    path: "/api/trust/security-deposits/{id}/disposition",
    summary: "read the disposition of a security deposit",
    access: officeRoles,
    description:
      "Itemized disposition with its deadline and the remaining days: a draft as of now until it is finalized, then the letter as it was sent, whose PDF has the same bytes each time. Later changes of names, of the forwarding address or of the deadline change it only after it was reopened.",
    query: z.strictObject({
      format: z
        .enum(["json", "pdf"])
        .optional()
        .describe("Format of the disposition: `json`, or `pdf` for a letter to print or send. Default: the format in the header `Accept`, otherwise `json`."),
    }),
    response: { disposition: DispositionStatement },
    fileContentTypes: ["application/pdf"],
  },
  listDepositDeadlines: {
    method: "GET",
    path: "/api/trust/deposit-deadlines",
    summary: "list the deadlines of dispositions by state",
    access: officeRoles,
    description:
      "Days after the move-out within which the disposition of a security deposit is due, by state, with the source of the statute and the day on which it was read. The policy `depositDeadlineDaysByState` of the organization replaces the days of a state.",
    response: { depositDeadlines: z.array(DepositDeadline).describe("States of the table and of the policy, by code.") },
  },
  finalizeSecurityDeposit: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/finalize",
    summary: "finalize dispositions of security deposits",
    access: adminsAndManagers,
    description: `Posts the deductions on the day of \`sentAt\`, a day in an open accounting period (409 \`period_closed\`): each settles its charge or becomes income. What is left is payable to the tenant (\`refundPayableCents\`); with nothing left, the deposit is forfeited. Requires a move-out. ${FUNDS}`,
    body: body({
      sentAt: Instant.describe("Time at which the disposition letter was sent."),
      method: z.enum(dispositionMethods).describe("Method by which the disposition letter was sent."),
      forwardingAddress: text(1, 500).optional().describe("Address of the tenant after the move-out. Default: unchanged."),
      bankAccountId: Id.optional().describe(`ID of the bank account that holds the deposit. ${PLACE}`),
    }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  reopenSecurityDeposit: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/reopen",
    summary: "reopen dispositions of security deposits",
    access: adminsAndManagers,
    description:
      "Takes the postings of a finalized disposition back, today or on their later day: its deductions are drafts again and the settled charges are open. Refused with 409 `resource_in_use` while a refund is not voided, and with 409 `insufficient_trust_funds` when the owners have used the money.",
    body: body({ reason }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  refundSecurityDeposit: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/refund",
    summary: "refund security deposits",
    access: adminsAndManagers,
    description: `Pays the deposit, or a part of it, back to the tenant once the disposition is finalized. ${FUNDS}`,
    body: body({
      amountCents: PositiveCents.describe("Amount in cents, at most `refundPayableCents`."),
      method: z.enum(paymentMethods).describe("Method by which the money is paid back."),
      bankAccountId: Id.describe(
        `ID of the bank account that the money is paid from, no business account. ${BANK_ACCOUNT} Ignored for a deposit that the owner holds.`,
      ),
      paidAt: Instant.describe("Time of the refund, which dates the journal entry. Its day must be in an open accounting period (409 `period_closed`)."),
      referenceNumber: text(1, 60).optional().describe("Number of the check or transfer. Default: none."),
      payees: z.array(text(1, 160)).max(10).default([]).describe("Names of the payees. Default: none, for the tenant."),
    }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  transferSecurityDeposit: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/transfer",
    summary: "transfer security deposits",
    access: adminsAndManagers,
    description: `Transfers what is held to the deposit of another lease, where it settles open deposit charges, or pays it out to an owner, who then owes it to the tenant. Its deductions must be deleted first (409 \`resource_in_use\`). ${FUNDS}`,
    body: body({
      toLeaseId: Id.optional().describe("ID of the lease of another tenancy that receives the deposit. Name either a lease or an owner."),
      toOwnerId: Id.optional().describe("ID of the owner, of the property of the deposit, to whom the money is paid. Name either a lease or an owner."),
      bankAccountId: Id.optional().describe(`ID of the bank account that the money leaves, or in which it stays for a lease. ${PLACE}`),
      occurredOn: PlainDate.optional().describe("Day of the transfer, in an open accounting period. Default: today."),
    }).refine(({ toLeaseId, toOwnerId }) => toLeaseId !== undefined || toOwnerId !== undefined, {
      path: ["toLeaseId"],
      params: { code: "required" },
      message: "Set toLeaseId or toOwnerId.",
    }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  applySecurityDeposit: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/apply-to-charges",
    summary: "apply security deposits to charges",
    access: adminsAndManagers,
    description: `Settles open charges of the tenancy with the deposit, before its disposition. At most what is held and not deducted can be applied (400 \`sum_exceeded\`). ${FUNDS}`,
    body: body({
      allocations: z
        .array(
          body({
            chargeId: Id.describe("ID of an open charge of the tenancy."),
            amountCents: PositiveCents.describe("Amount in cents that settles the charge."),
          }),
        )
        .min(1)
        .max(100)
        .describe("Charges to settle, each named once."),
      occurredOn: PlainDate.optional().describe(
        "Day of the application, in an open accounting period. A charge that is due later is settled on its due date. Default: today.",
      ),
      bankAccountId: Id.optional().describe(`ID of the bank account that holds the deposit. ${PLACE}`),
    }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  voidSecurityDepositTransaction: {
    method: "POST",
    path: "/api/trust/security-deposits/{id}/transactions/{transactionId}/void",
    summary: "void transactions of security deposits",
    access: adminsAndManagers,
    description:
      "Takes a refund, a transfer, an application or a receipt by the owner back, today or on its later day. A transfer between leases is voided at the deposit that it left. Applications of a deposit whose disposition is finalized are refused with 409 `invalid_transition`; so is one that is voided. Refused with 409 `insufficient_trust_funds` or `resource_in_use` when the money has been used.",
    body: body({ reason }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
});
