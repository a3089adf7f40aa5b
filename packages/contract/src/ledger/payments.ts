import { z } from "zod";
import { chargeTypes } from "../identity/accounts.ts";
import { Charge, chargeStatuses } from "./charges.ts";
import { leaseStatuses } from "../leases/leases.ts";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { shortageWarnings, trustWarnings } from "../trust/trust-warnings.ts";
import { csvEnum, Cents, QueryBoolean, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text } from "../values.ts";

export const paymentMethods = ["ach", "card", "cash", "check", "money_order", "other"] as const;
export const paymentStatuses = ["pending", "received", "failed", "reversed", "refunded"] as const;
export const reversalReasons = ["nsf", "chargeback", "stop_payment", "unauthorized", "bank_error", "entry_error", "other"] as const;

const reversalReason =
  "Reason for the reversal: `nsf` (insufficient funds), `chargeback` (disputed card payment), `stop_payment` (stopped check), `unauthorized`, `bank_error`, `entry_error` (recorded by mistake) or `other`.";

export const PaymentAllocation = z
  .strictObject({
    id: Id.describe("ID of the allocation."),
    paymentId: Id.describe("ID of the payment."),
    chargeId: Id.describe("ID of the charge the payment was applied to."),
    amountCents: PositiveCents.describe("Amount applied to the charge in cents, at least 1."),
    paymentReceivedAt: Instant.describe("Time at which the payment was received."),
    charge: z
      .strictObject({
        id: Id.describe("ID of the charge."),
        name: z.string().describe("Name of the charge."),
        chargeType: z.enum(chargeTypes),
        status: z.enum(chargeStatuses),
        amountCents: Cents.describe("Amount of the charge in cents."),
        balanceCents: Cents.describe("Open balance of the charge in cents."),
        dueDate: PlainDate.describe("Date by which the charge must be paid."),
      })
      .describe("Charge the payment was applied to."),
  })
  .meta({ id: "PaymentAllocation", description: "Part of a payment that was applied to a charge." });

export const PaymentRefund = z
  .strictObject({
    id: Id.describe("ID of the refund."),
    paymentId: Id.describe("ID of the refunded payment."),
    amountCents: PositiveCents.describe("Refunded amount in cents, at least 1."),
    method: z.enum(paymentMethods).describe("Method by which the money was paid back."),
    bankAccountId: Id.describe("ID of the bank account that the money was paid from; of the account of the chart while no bank account is posted to it."),
    referenceNumber: z.string().nullable().describe("Number of the check or another reference, or null."),
    memo: z.string().nullable().describe("Memo of the refund and its journal entry, or null."),
    refundedAt: Instant.describe("Time of the refund."),
    journalEntryId: Id.describe("ID of the journal entry of the refund."),
    voidedAt: Instant.nullable().describe("Time from which the refund is void, or null."),
    voidReason: z.string().nullable().describe("Reason for voiding the refund, or null."),
  })
  .meta({ id: "PaymentRefund", description: "Credit of a payment that was paid back to the payer." });

export const Payment = z
  .strictObject({
    id: Id.describe("ID of the payment."),
    organizationId: Id.describe("ID of the organization the payment belongs to."),
    tenantId: Id.describe("ID of the tenant who paid."),
    leaseId: Id.nullable().describe("ID of the lease the payment was recorded for. Null for a payment that names only the tenant."),
    amountCents: PositiveCents.describe("Amount of the payment in cents, at least 1."),
    unallocatedCents: NonNegativeCents.describe(
      "Part of the payment in cents that is neither applied to a charge nor refunded: the credit of the tenant. 0 for a reversed payment.",
    ),
    refundedCents: NonNegativeCents.describe("Part of the payment in cents that was paid back to the payer."),
    depositId: Id.nullable().describe("ID of the deposit that brought the money to a bank. Null while the money is undeposited."),
    checkNumber: z.string().nullable().describe("Number of the check, or null."),
    idempotencyKey: z.string().describe("Idempotency key the payment was recorded with, unique within the organization."),
    paymentMethod: z.enum(paymentMethods).describe("Method of the payment. `ach` is a bank transfer through the Automated Clearing House."),
    receivedAt: Instant.describe("Time at which the money was received. The journal entry is dated accordingly."),
    status: z
      .enum(paymentStatuses)
      .describe(
        "Status of the payment. `pending` online payments become `received` or `failed`; `refunded` payments were paid back as a whole, and `reversed` payments no longer settle charges.",
      ),
    createdAt: Instant.describe("Time at which the payment was recorded."),
    updatedAt: Instant.describe("Time at which the payment was last changed."),
    allocations: z.array(PaymentAllocation).describe("Charges the payment is applied to. Empty for a reversed payment."),
    refunds: z.array(PaymentRefund).describe("Refunds of the payment, also voided ones, oldest first."),
    lease: z
      .strictObject({
        id: Id.describe("ID of the lease."),
        startDate: PlainDate.describe("First day of the lease."),
        endDate: PlainDate.nullable().describe("Last day of the lease. Null for a lease without an end date."),
        status: z.enum(leaseStatuses),
      })
      .nullable()
      .describe("Lease the payment was recorded for. Null for a payment that names only the tenant."),
    property: z
      .strictObject({
        id: Id.describe("ID of the property."),
        name: z.string().describe("Name of the property."),
        city: z.string().describe("City of the property."),
        state: z.string().describe("Two-letter state code of the property."),
      })
      .nullable()
      .describe("Property of the lease. Null for a payment that names only the tenant."),
    tenant: z
      .strictObject({
        id: Id.describe("ID of the tenant."),
        fullName: z.string().describe("Full name of the tenant."),
      })
      .describe("Tenant who paid."),
    unit: z
      .strictObject({
        id: Id.describe("ID of the unit."),
        unitNumber: z.string().nullable().describe("Unit number as shown on the door, or null for a unit without a number."),
      })
      .nullable()
      .describe("Unit of the lease. Null for a payment that names only the tenant."),
  })
  .meta({ id: "Payment", description: "Money received from a tenant. The part that is not allocated to charges is the credit of the tenant." });
export type Payment = z.output<typeof Payment>;

export const PaymentReceipt = z
  .strictObject({
    number: z.string().describe("Number of the receipt, the same whenever the receipt of the payment is issued."),
    issuedAt: Instant.describe("Time at which the receipt was issued: the time of the request."),
    issuedOn: PlainDate.describe("Day on which the receipt was issued, in the organization's time zone."),
    organizationName: z.string().describe("Name of the property management company that received the money."),
    payment: Payment.describe("Payment that the receipt confirms, with its allocations and refunds."),
    receivedOn: PlainDate.describe("Day of the receipt of the money, which dates its journal entry."),
    allocatedCents: NonNegativeCents.describe("Part of the payment in cents that is applied to charges."),
    leaseBalanceCents: Cents.nullable().describe(
      "Balance of the lease in cents when the receipt was issued: its open charges less its unallocated credit; negative for a credit. Null for a payment that names only the tenant.",
    ),
  })
  .meta({ id: "PaymentReceipt", description: "Confirmation of a payment for the tenant." });
export type PaymentReceipt = z.output<typeof PaymentReceipt>;

const Allocation = body({
  chargeId: Id.describe(
    "ID of the charge to apply the amount to. It must belong to the lease of the payment or one of its renewals or, when the payment names no lease, to its tenant or a lease that the tenant is on.",
  ),
  amountCents: PositiveCents.describe("Amount to apply in cents, at least 1 and at most the open balance of the charge."),
});
const Allocations = z
  .array(Allocation)
  .max(500)
  .refine((all) => new Set(all.map(({ chargeId }) => chargeId)).size === all.length, {
    params: { code: "unique" },
    message: "Name each charge only once.",
  });

const ProposedAllocation = z
  .strictObject({
    chargeId: Id.describe("ID of the charge."),
    name: z.string().describe("Name of the charge."),
    chargeType: z.enum(chargeTypes),
    dueDate: PlainDate.describe("Date by which the charge must be paid."),
    amountCents: PositiveCents.describe("Amount of the payment in cents that is applied to the charge, at least 1."),
    balanceCents: NonNegativeCents.describe("Balance of the charge in cents that remains open after the allocation."),
  })
  .meta({ id: "ProposedAllocation", description: "Part of a payment that is applied to a charge automatically." });

/** Filters of payments, which lists of the payments of one resource share. */
export const paymentFilters = {
  search: Search.optional().describe("Return only payments whose tenant name or check number contains this text, ignoring case."),
  tenantId: Id.optional().describe("Return only payments by this tenant."),
  leaseId: Id.optional().describe("Return only payments recorded for this lease."),
  propertyId: Id.optional().describe("Return only payments recorded for leases of this property."),
  paymentMethod: csvEnum(paymentMethods).optional().describe("Return only payments by these methods, repeated or comma-separated."),
  status: csvEnum(paymentStatuses).optional().describe("Return only payments with these statuses, repeated or comma-separated."),
  depositId: Id.optional().describe("Return only payments of this deposit, unless it was voided."),
  undepositedOnly: QueryBoolean.optional().describe("Return only payments whose money can be deposited: neither in a deposit nor reversed. Default: `false`."),
  unallocatedOnly: QueryBoolean.optional().describe("Return only payments with an unallocated amount. Default: `false`."),
  receivedAfter: PlainDate.optional().describe("Return only payments received on or after this date, in the organization's time zone."),
  receivedBefore: PlainDate.optional().describe("Return only payments received on or before this date, in the organization's time zone."),
  createdAfter: PlainDate.optional().describe("Return only payments recorded on or after this date, in the organization's time zone."),
  createdBefore: PlainDate.optional().describe("Return only payments recorded on or before this date, in the organization's time zone."),
};

export const payments = operationGroup("Payments", "ledger", {
  listPayments: {
    method: "GET",
    path: "/api/payments",
    summary: "list payments",
    access: officeRoles,
    query: listQuery(["receivedAt", "amountCents", "tenantName", "status", "createdAt"], paymentFilters),
    response: page("payments", Payment),
  },
  recordPayment: {
    method: "POST",
    path: "/api/payments",
    summary: "record payments",
    access: adminsAndManagers,
    description:
      "A payment is recorded once for each `idempotencyKey`, which never expires: the same key with the same body returns the original response with the header `Idempotent-Replayed: true`; with a different body it returns 409 `idempotency_key_reused`. Without `allocations` and `autoAllocate`, the whole payment remains unallocated. A charge that is due after the receipt is settled on its due date; until then its part of the payment is prepaid rent.",
    body: body({
      tenantId: Id.describe("ID of the tenant who paid. With `leaseId`, a tenant of that lease."),
      leaseId: Id.optional().describe(
        "ID of the lease the payment is for. When omitted, the payment belongs to the tenant only and can pay the charges of all leases that the tenant is on.",
      ),
      amountCents: PositiveCents.describe("Amount of the payment in cents, at least 1."),
      paymentMethod: z.enum(paymentMethods).describe("Method of the payment. `ach` is a bank transfer through the Automated Clearing House."),
      receivedAt: Instant.describe("Time at which the money was received. The journal entry is dated accordingly."),
      idempotencyKey: z
        .string()
        .regex(/^[\x20-\x7e]{1,255}$/)
        .describe("Idempotency key of 1 to 255 printable ASCII characters, unique within the organization."),
      checkNumber: text(1, 64).optional().describe("Number of the check."),
      allocations: Allocations.default([]).describe(
        "Charges to apply the payment to, each named once and at most 500. Their amounts must not exceed `amountCents`; the rest remains unallocated.",
      ),
      autoAllocate: z
        .boolean()
        .default(false)
        .describe(
          "Applies the payment to open charges: oldest due date first, then in the order of the policy `allocationOrder`. Not permitted with `allocations`.",
        ),
    })
      .refine((payment) => payment.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0) <= payment.amountCents, {
        path: ["allocations"],
        params: { code: "sum_exceeded" },
        message: "Allocations add up to more than the payment. Lower them or raise amountCents.",
      })
      .refine((payment) => !payment.autoAllocate || payment.allocations.length === 0, {
        path: ["autoAllocate"],
        params: { code: "not_allowed" },
        message: "Send either allocations or autoAllocate, not both.",
      }),
    response: { payment: Payment },
    errors: [409],
  },
  getPayment: { method: "GET", path: "/api/payments/{id}", summary: "read a payment", access: officeRoles, response: { payment: Payment } },
  getPaymentReceipt: {
    method: "GET",
    path: "/api/payments/{id}/receipt",
    summary: "read the receipt of a payment",
    access: officeRoles,
    description:
      "Confirmation of the payment for the tenant, as of now: with its allocations and the balance of the lease. The receipt of a reversed payment says so.",
    query: z.strictObject({
      format: z
        .enum(["json", "pdf"])
        .optional()
        .describe(
          "Format of the receipt: `json`, or `pdf` for a page of letter size to print or send. Default: the format in the header `Accept`, otherwise `json`.",
        ),
    }),
    response: { receipt: PaymentReceipt },
    fileContentTypes: ["application/pdf"],
  },
  editPayment: {
    method: "PUT",
    path: "/api/payments/{id}",
    summary: "edit payments",
    access: officeRoles,
    description: "Always returns 409 `payment_immutable`. To correct a payment, reverse it and record it again.",
    response: {},
    errors: [409],
    alwaysFails: 409,
  },
  allocatePayment: {
    method: "POST",
    path: "/api/payments/{id}/allocate",
    summary: "allocate payments",
    access: adminsAndManagers,
    description:
      "Applies the unallocated amount of a received payment to charges of the same lease and its renewals, or of any lease that its tenant is on when it names no lease. Either all allocations are applied or none.",
    body: body({
      allocations: Allocations.min(1).describe(
        "Charges to apply the payment to, each named once and at most 500. Their amounts must not exceed the unallocated amount of the payment.",
      ),
    }),
    response: { payment: Payment },
    errors: [409],
    idempotent: true,
  },
  autoAllocatePayment: {
    method: "POST",
    path: "/api/payments/{id}/auto-allocate",
    summary: "allocate payments automatically",
    access: adminsAndManagers,
    description:
      "Applies the unallocated amount of a received payment to the open charges of its lease, or of all leases that its tenant is on when it names no lease: oldest due date first, then in the order of the policy `allocationOrder`. The rest remains unallocated.",
    body: body({
      dryRun: z.boolean().default(false).describe("Returns the allocations that would be made and changes nothing."),
    }),
    response: {
      payment: Payment,
      allocations: z
        .array(ProposedAllocation)
        .describe("Allocations that were made, or would be made with `dryRun`, in the order in which the charges are paid. Empty when no charge is open."),
    },
    errors: [409],
    idempotent: true,
  },
  deletePaymentAllocation: {
    method: "DELETE",
    path: "/api/payments/{id}/allocations/{allocationId}",
    summary: "remove payment allocations",
    access: adminsAndManagers,
    description:
      "Removes one allocation, so that its amount can be allocated again without reversing the payment. The charge is open again with its original due date. The journal entry is dated today, or the day on which the allocation settles the charge when that is later: until then the charge was paid. An allocation that was removed, or released by the reversal of its payment, is not found (404). That of a security deposit that has been used cannot be removed (409 `resource_in_use`). With the policy `trustOverdraft` `block`, a removal is refused with 409 `insufficient_trust_funds` when the owners of the property have used the money in the bank account, since it would be prepaid rent again.",
    response: { payment: Payment, ...trustWarnings },
    errors: [409],
  },
  reversePayment: {
    method: "POST",
    path: "/api/payments/{id}/reverse",
    summary: "reverse payments",
    access: adminsAndManagers,
    description:
      "Posts reversing journal entries, which credit the bank account when the payment was deposited, otherwise undeposited funds, and releases the allocations, so that the charges are open again with their original due dates. The refunded amount is charged to the lease of the payment, because the payer owes it; without one, to the lease that the payment was allocated to last, or else the latest lease of the tenant. A refunded payment of a tenant without a lease cannot be reversed (409 `invalid_transition`). Management fees that were computed from the payment are taken back: an unpaid fee is lowered, a collected one goes back to the owners in the trust account, and one that has left it is owed to the property (1150) until the next run offsets it. A fee is charged to the tenant when `nsfFeeCents` is above 0, or without it for the reason `nsf` when the policy `autoChargeNsfFee` is set. A reversal is posted for every reason even when the money has been used and the policy `trustOverdraft` is `block`, because the money is not in the bank; `warnings` and the diagnostics `negative_owner_ledger`, `deposit_mismatch` and `prepaid_mismatch` name the bank account and whose money is missing there.",
    body: body({
      reason: z.enum(reversalReasons).describe(reversalReason),
      reversedAt: Instant.optional().describe("Time of the reversal, not before `receivedAt`, which dates the reversing entries. Default: now."),
      nsfFeeCents: NonNegativeCents.optional().describe(
        "Fee in cents, charged to the lease of the payment and due on the day of the reversal, or on the first open day when that day is in a closed accounting period; not allowed for a payment without a lease. `0` charges no fee, whatever the policy says. Default: the policy `nsfFeeCents` for the reason `nsf` when `autoChargeNsfFee` is set, otherwise no fee.",
      ),
      bankFeeCents: NonNegativeCents.optional().describe(
        "Fee of the bank in cents, posted as an expense that the organization owes: 5050 against 2000, on the accrual basis. A fee that the bank takes back is reversed with its journal entry, whose `source` is `bank_fee`. `0` posts no fee. Default: no fee.",
      ),
      memo: text(1, 500).optional().describe("Memo of the reversing entries. Default: a text with the reason."),
    }),
    response: {
      payment: Payment,
      reversal: z
        .strictObject({
          id: Id.describe("ID of the reversal."),
          journalEntryId: Id.describe("ID of the journal entry that reverses the entry of the payment."),
          reversedAt: Instant.describe("Time of the reversal."),
          reason: z.enum(reversalReasons).describe(reversalReason),
        })
        .describe("Reversal of the payment."),
      charges: z.array(Charge).describe("Charges that are open again, and the charges for refunds and for the fee if there are any, by due date."),
      ...shortageWarnings,
    },
    errors: [409],
    idempotent: true,
  },
});
