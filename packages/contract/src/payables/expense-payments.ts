import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text } from "../values.ts";
import { Expense } from "./expenses.ts";
import { trustWarnings } from "../trust/trust-warnings.ts";

export const expensePaymentMethods = ["ach", "card", "cash", "check", "other"] as const;
export const expensePaymentStatuses = ["issued", "pending", "failed", "voided"] as const;

const ExpenseAllocation = z
  .strictObject({
    id: Id.describe("ID of the allocation."),
    expensePaymentId: Id.describe("ID of the payment."),
    expenseId: Id.describe("ID of the expense that is settled."),
    amountCents: PositiveCents.describe("Amount in cents by which the payment settles the expense."),
    expense: Expense,
  })
  .meta({ id: "ExpenseAllocation", description: "Part of a payment that settles an expense." });

export const ExpensePayment = z
  .strictObject({
    id: Id.describe("ID of the payment."),
    organizationId: Id.describe("ID of the organization the payment belongs to."),
    vendorId: Id.nullable().describe("ID of the vendor who is paid, or null."),
    vendor: z
      .strictObject({ id: Id.describe("ID of the vendor."), name: z.string().describe("Name of the vendor.") })
      .nullable()
      .describe("Vendor who is paid, or null."),
    amountCents: PositiveCents.describe("Amount of the payment in cents."),
    allocatedCents: NonNegativeCents.describe("Part of the amount in cents that settles expenses."),
    unallocatedCents: NonNegativeCents.describe("Part of the amount in cents that settles no expense yet; 0 for a failed or voided payment."),
    currency: z.literal("USD").describe("Currency of the amount, always `USD`."),
    paymentMethod: z.enum(expensePaymentMethods).describe("Method of the payment."),
    status: z
      .enum(expensePaymentStatuses)
      .describe("Status of the payment. A `pending` payment is posted and has not left yet; one that is `failed` or `voided` has no effect from that day on."),
    bankAccountId: Id.describe("ID of the bank account that the money is paid from; of the account of the chart while no bank account is posted to it."),
    paidAt: Instant.describe("Time of the payment, which dates the journal entry in the organization's time zone."),
    referenceNumber: z.string().nullable().describe("Number of the check or another reference, or null."),
    memo: z.string().nullable().describe("Memo of the payment, or null."),
    allocations: z.array(ExpenseAllocation).describe("Expenses that the payment settles."),
    journalEntryId: Id.describe("ID of the journal entry of the payment."),
    createdAt: Instant.describe("Time at which the payment was recorded."),
    updatedAt: Instant.describe("Time at which the payment was last changed."),
    endedAt: Instant.nullable().describe("Time at which the payment failed or was voided. Null for others."),
    voidReason: z.string().nullable().describe("Reason for voiding the payment, or null."),
  })
  .meta({ id: "ExpensePayment", description: "Payment of expenses from a bank account." });
export type ExpensePayment = z.output<typeof ExpensePayment>;

const requestedAllocations = (min: 0 | 1) =>
  z
    .array(
      body({
        expenseId: Id.describe(
          "ID of an expense that is approved or needs no approval. If both the payment and the expense name a vendor, it must be the same one.",
        ),
        amountCents: PositiveCents.describe("Amount in cents by which the payment settles the expense, at most what is outstanding of it."),
      }),
    )
    .min(min)
    .max(500)
    .refine((allocations) => new Set(allocations.map(({ expenseId }) => expenseId)).size === allocations.length, {
      params: { code: "unique" },
      message: "Name each expense only once.",
    });

const response = { expensePayment: ExpensePayment };
const paidResponse = {
  ...response,
  warnings: z
    .array(z.string())
    .describe(
      "With the policy `vendorInsurance` `warn`, a sentence for each paid vendor whose liability insurance had expired on the day of the payment. With the policy `trustOverdraft` `warn`, the sentences with which `block` would have refused the operation, because it uses money of others in a trust account. Otherwise empty.",
    ),
};
const INSURANCE =
  " With the policy `vendorInsurance` `block`, a payment to a vendor whose liability insurance had expired on its day is refused with 409 `invalid_transition`; with `warn`, `warnings` names the vendor.";

export const expensePayments = operationGroup("Expenses", "ledger", {
  listExpensePayments: {
    method: "GET",
    path: "/api/expense-payments",
    summary: "list expense payments",
    access: officeRoles,
    query: listQuery(["paidAt", "vendorName", "amountCents", "paymentMethod", "status", "createdAt"], {
      search: Search.optional().describe("Return only payments whose vendor, reference number or memo contains this text, ignoring case."),
      vendorId: Id.optional().describe("Return only payments of this vendor."),
      expenseId: Id.optional().describe("Return only payments that settle this expense, or settled it until they failed or were voided."),
      bankAccountId: Id.optional().describe("Return only payments from this bank account, or from all that are posted to this account of the chart."),
      status: csvEnum(expensePaymentStatuses).optional().describe("Return only payments with these statuses, repeated or comma-separated."),
      paidAfter: PlainDate.optional().describe("Return only payments of this date or later, in the organization's time zone."),
      paidBefore: PlainDate.optional().describe("Return only payments of this date or earlier, in the organization's time zone."),
      createdAfter: PlainDate.optional().describe("Return only payments recorded on or after this date, in the organization's time zone."),
      createdBefore: PlainDate.optional().describe("Return only payments recorded on or before this date, in the organization's time zone."),
    }),
    response: page("expensePayments", ExpensePayment),
  },
  recordExpensePayment: {
    method: "POST",
    path: "/api/expense-payments",
    summary: "record expense payments",
    access: adminsAndManagers,
    description:
      "Debits accounts payable (2000) at the properties of the settled expenses and credits the bank account. The rest belongs to no property until it is allocated. With the policy `trustOverdraft` `block`, a payment from a trust account is refused with 409 `insufficient_trust_funds` when a property, or for the rest the management company, has less in the account. The reserve of a property may be used." +
      INSURANCE,
    body: body({
      vendorId: Id.nullable().optional().describe("ID of the vendor who is paid. Default: null, for a payment to nobody in particular."),
      amountCents: PositiveCents.describe("Amount of the payment in cents."),
      paymentMethod: z.enum(expensePaymentMethods).describe("Method of the payment."),
      paidAt: Instant.describe("Time of the payment, which dates the journal entry. In a closed accounting period, the entry is dated the first open day."),
      bankAccountId: Id.describe(
        "ID of the bank account that the money is paid from. The ID of an account of the chart names the only active bank account that is posted to it (400 `required` with several), or the account itself while there is none.",
      ),
      referenceNumber: text(1, 80).nullable().optional().describe("Number of the check or another reference. Default: null."),
      memo: text(1, 500).nullable().optional().describe("Memo of the payment and its journal entry. Default: null."),
      allocations: requestedAllocations(0).default([]).describe("Expenses that the payment settles, together at most its amount. Default: none."),
      status: z
        .enum(["issued", "pending"])
        .default("issued")
        .describe("Status of the payment: `issued`, or `pending` until it is issued or fails. Default: `issued`."),
    }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  getExpensePayment: { method: "GET", path: "/api/expense-payments/{id}", summary: "read an expense payment", access: officeRoles, response },
  updateExpensePayment: {
    method: "PATCH",
    path: "/api/expense-payments/{id}",
    summary: "change expense payments",
    access: adminsAndManagers,
    body: body({
      memo: text(1, 500).nullable().optional().describe("Memo of the payment, or null."),
      referenceNumber: text(1, 80).nullable().optional().describe("Number of the check or another reference, or null."),
    }),
    response,
  },
  allocateExpensePayment: {
    method: "POST",
    path: "/api/expense-payments/{id}/allocate",
    summary: "allocate expense payments",
    access: adminsAndManagers,
    description:
      "Settles expenses with what is unallocated of the payment, on the day of the payment. The money is then that of the properties of the expenses, which must have it in the bank account as for a new payment." +
      INSURANCE,
    body: body({ allocations: requestedAllocations(1).describe("Expenses to settle, together at most the unallocated amount.") }),
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  issueExpensePayment: {
    method: "POST",
    path: "/api/expense-payments/{id}/issue",
    summary: "issue expense payments",
    access: adminsAndManagers,
    description: "Marks a `pending` payment as `issued` (409 `invalid_transition` otherwise).",
    response: paidResponse,
    errors: [409],
    idempotent: true,
  },
  failExpensePayment: {
    method: "POST",
    path: "/api/expense-payments/{id}/fail",
    summary: "mark expense payments as failed",
    access: adminsAndManagers,
    description:
      "Marks a `pending` payment as `failed` (409 `invalid_transition` otherwise): reverses its journal entries, today or on the day of the payment when that is later, and its expenses are owed again. Refused with 409 `invalid_transition` while its bank account is archived, and with 409 `reconciled_transaction` when a finalized reconciliation has cleared it.",
    response,
    errors: [409],
    idempotent: true,
  },
  voidExpensePayment: {
    method: "POST",
    path: "/api/expense-payments/{id}/void",
    summary: "void expense payments",
    access: adminsAndManagers,
    description:
      "Voids an `issued` or `pending` payment (409 `invalid_transition` otherwise), such as a check that was never cashed: reverses its journal entries, today or on the day of the payment when that is later, and its expenses are owed again. Refused with 409 `invalid_transition` while its bank account is archived, and with 409 `reconciled_transaction` when a finalized reconciliation has cleared it. A payment that a run of management fees has made ends with the run only (409 `resource_in_use`).",
    body: body({ reason: text(1, 500).describe("Reason for voiding the payment, stored with it for audits.") }),
    response,
    errors: [409],
    idempotent: true,
  },
  deleteExpensePaymentAllocation: {
    method: "DELETE",
    path: "/api/expense-payments/{id}/allocations/{allocationId}",
    summary: "remove allocations of expense payments",
    access: adminsAndManagers,
    description:
      "Takes an allocation back, today or on its own day when that is later: the expense is owed again, and the amount is unallocated, so that with the policy `trustOverdraft` `block` the management company must have it in a trust account (409 `insufficient_trust_funds`). An allocation that was removed, or released by the void or failure of its payment, is not found (404). A payment that a run of management fees has made ends with the run only (409 `resource_in_use`).",
    response: { ...response, ...trustWarnings },
    errors: [409],
  },
});
