/** Money of tenants in their portal: balance, charges, payments with their receipts, ledger and security deposits. */
import { z } from "zod";
import { chargeTypes } from "../identity/accounts.ts";
import { Charge, chargeFilters, chargeStatuses } from "../ledger/charges.ts";
import { entryListQuery } from "../ledger/entry-list.ts";
import { LedgerEntry } from "../ledger/ledgers.ts";
import { Payment, paymentFilters, PaymentReceipt, payments } from "../ledger/payments.ts";
import { operationGroup } from "../operation.ts";
import { SecurityDeposit, SecurityDepositDeduction, securityDepositStatuses } from "../trust/security-deposit.schema.ts";
import { Cents, csvEnum, Id, listQuery, NonNegativeCents, page, PlainDate } from "../values.ts";

const tenant = ["tenant"] as const;

const LEASES =
  "The leases are those on which the caller is a primary tenant or co-tenant. After a release, what is dated before the day of the release stays visible, and the caller's own payments.";
const leaseId = Id.optional().describe("Only this lease of the caller; a lease of others returns 404. Default: all of the caller's leases.");

export const PortalBalance = z
  .strictObject({
    leaseId: Id.nullable().describe("ID of the lease. Null for the sum over several leases."),
    asOf: PlainDate.describe("Day of the balance: today in the organization's time zone."),
    dueCents: NonNegativeCents.describe("Open charges in cents that are due today or were due earlier."),
    pastDueCents: NonNegativeCents.describe("Part of `dueCents` that was due before today."),
    unallocatedCents: NonNegativeCents.describe("Credit in cents: money received that no charge has used yet."),
    nextDueOn: PlainDate.nullable().describe(
      "Next day after today on which an open charge is due or a recurring charge will be. Null for none within two months.",
    ),
    nextDueCents: NonNegativeCents.describe("Amount in cents that is due on `nextDueOn`; 0 without one."),
  })
  .meta({ id: "PortalBalance", description: "What a tenant owes today and next." });
export type PortalBalance = z.output<typeof PortalBalance>;

/** Charge as shown to the tenants of the lease, without the remarks and accounts of the office. */
export const PortalCharge = Charge.omit({ categoryId: true, memo: true, recurringChargeRuleId: true, workOrderId: true, expenseId: true }).meta({
  id: "PortalCharge",
  description: "A charge as the tenants of the lease see it.",
});

/** Payment as shown to tenants, without the bank deposit and the refunds' bank accounts. */
export const PortalPayment = Payment.omit({ idempotencyKey: true, depositId: true, refunds: true }).meta({
  id: "PortalPayment",
  description: "A payment as the tenants of the lease see it.",
});
export type PortalPayment = z.output<typeof PortalPayment>;

export const PortalReceipt = PaymentReceipt.extend({ payment: PortalPayment.describe("Payment that the receipt confirms, with its allocations.") }).meta({
  id: "PortalReceipt",
  description: "Confirmation of a payment for the tenant.",
});
export type PortalReceipt = z.output<typeof PortalReceipt>;

/** Security deposit as shown to the tenant: deductions once they are final, and nothing of where the money is. */
export const PortalSecurityDeposit = SecurityDeposit.omit({ bankAccountId: true, chargeIds: true, transactions: true, deductions: true, disposition: true })
  .extend({
    deductions: z
      .array(
        SecurityDepositDeduction.omit({ journalEntryId: true }).meta({ id: "PortalDepositDeduction", description: "Amount withheld from a security deposit." }),
      )
      .describe("Deductions of the finalized disposition. Empty before."),
    dispositionSentAt: SecurityDeposit.shape.createdAt
      .nullable()
      .describe("Time at which the disposition letter was sent. Null until the disposition is finalized."),
  })
  .meta({ id: "PortalSecurityDeposit", description: "A security deposit as its tenant sees it. Drafts of deductions are omitted, also in the amounts." });
export type PortalSecurityDeposit = z.output<typeof PortalSecurityDeposit>;

const { getPaymentReceipt } = payments.operations;

export const tenantPortalMoney = operationGroup("Portal", "ledger", {
  getTenantPortalBalance: {
    method: "GET",
    path: "/api/portal/balance",
    summary: "read their own balance",
    access: tenant,
    description: LEASES,
    query: z.strictObject({ leaseId }),
    response: { balance: PortalBalance },
    errors: [404],
  },
  listTenantPortalCharges: {
    method: "GET",
    path: "/api/portal/charges",
    summary: "list their own charges",
    access: tenant,
    description: LEASES,
    query: listQuery(["dueDate", "amountCents", "balanceCents", "status", "createdAt"], {
      leaseId,
      chargeType: csvEnum(chargeTypes).optional().describe("Return only charges of these types, repeated or comma-separated."),
      status: csvEnum(chargeStatuses).optional().describe("Return only charges with these statuses, repeated or comma-separated."),
      dueAfter: chargeFilters.dueAfter,
      dueBefore: chargeFilters.dueBefore,
    }).omit({ includeDeleted: true }),
    response: page("charges", PortalCharge),
    errors: [404],
  },
  listTenantPortalPayments: {
    method: "GET",
    path: "/api/portal/payments",
    summary: "list their own payments",
    access: tenant,
    description: `Lists the caller's payments, and those of co-tenants that were recorded for a lease of the caller. ${LEASES}`,
    query: listQuery(["receivedAt", "amountCents", "status", "createdAt"], {
      leaseId,
      paymentMethod: paymentFilters.paymentMethod,
      status: paymentFilters.status,
      receivedAfter: paymentFilters.receivedAfter,
      receivedBefore: paymentFilters.receivedBefore,
    }).omit({ includeDeleted: true }),
    response: page("payments", PortalPayment),
    errors: [404],
  },
  getTenantPortalReceipt: {
    method: "GET",
    path: "/api/portal/payments/{id}/receipt",
    summary: "read the receipt of their own payments",
    access: tenant,
    description:
      "Confirmation of the payment as of now, with its allocations and the balance of the lease; after a release from the lease, without the balance. The receipt of a reversed payment says so.",
    query: getPaymentReceipt.query,
    response: { receipt: PortalReceipt },
    fileContentTypes: ["application/pdf"],
  },
  listTenantPortalLedger: {
    method: "GET",
    path: "/api/portal/ledger",
    summary: "read their own ledger",
    access: tenant,
    description: `Charges of the leases with all money and credits that settle them, and the credit of payments, with the balance after each. ${LEASES}`,
    query: z
      .strictObject({
        leaseId,
        from: PlainDate.optional().describe("First date to return. Default: the date of the first entry."),
        to: PlainDate.optional().describe("Last date to return. Default: today."),
        ...entryListQuery(["date"], "entries"),
      })
      .omit({ includeDeleted: true }),
    response: {
      ...page("entries", LedgerEntry),
      openingBalanceCents: Cents.describe("Balance in cents before `from`; 0 without `from`."),
      closingBalanceCents: Cents.describe("Balance in cents at the end of the last date."),
    },
    errors: [404],
  },
  listTenantPortalSecurityDeposits: {
    method: "GET",
    path: "/api/portal/security-deposits",
    summary: "list their own security deposits",
    access: tenant,
    description:
      "Lists the security deposits of the caller's leases. After a release before the end of the lease, the deposit stays with those who remain and is not visible.",
    query: listQuery(["createdAt", "dispositionDueOn"], {
      leaseId,
      status: csvEnum(securityDepositStatuses).optional().describe("Return only deposits with these statuses, repeated or comma-separated."),
    }).omit({ includeDeleted: true }),
    response: page("securityDeposits", PortalSecurityDeposit),
    errors: [404],
  },
  getTenantPortalSecurityDeposit: {
    method: "GET",
    path: "/api/portal/security-deposits/{id}",
    summary: "read one of their own security deposits",
    access: tenant,
    response: { securityDeposit: PortalSecurityDeposit },
  },
});
