/** Security deposits as responses contain them. */
import { z } from "zod";
import { paymentMethods } from "../ledger/payments.ts";
import { Cents, Id, Instant, NonNegativeCents, PlainDate, PositiveCents } from "../values.ts";
import { stateCodes } from "../states.ts";

export const depositHolders = ["organization", "owner"] as const;
export const securityDepositStatuses = ["expected", "held", "disposition_due", "disposed", "refunded", "forfeited", "transferred"] as const;
export const deductionCategories = ["rent", "damage", "cleaning", "utility", "fee", "other"] as const;
export const dispositionMethods = ["email", "mail", "hand"] as const;
export const securityDepositTransactionKinds = ["receipt", "application", "transfer_in", "transfer_out", "owner_transfer", "refund"] as const;

export const SecurityDepositDeduction = z
  .strictObject({
    id: Id.describe("ID of the deduction."),
    category: z
      .enum(deductionCategories)
      .describe(
        "Category of the deduction. Without a charge, `rent` is posted to rent (4000), `utility` to utility reimbursement (4020), `fee` to other income (4090), and the others to forfeited deposits (4050).",
      ),
    description: z.string().describe("Description of the deduction, shown in the disposition letter."),
    amountCents: PositiveCents.describe("Amount of the deduction in cents."),
    chargeId: Id.nullable().describe("ID of the charge that the deduction settles. Null for a deduction that becomes income."),
    documentIds: z.array(Id).describe("IDs of documents about the deduction, such as invoices and photos. The tenant reads those that are shared."),
    journalEntryId: Id.nullable().describe(
      "ID of the journal entry of the deduction. Null until the disposition is finalized, and for a deposit that the owner holds.",
    ),
  })
  .meta({ id: "SecurityDepositDeduction", description: "Amount withheld from a security deposit. A draft until the disposition is finalized." });

export const SecurityDepositTransaction = z
  .strictObject({
    id: Id.describe("ID of the transaction."),
    kind: z
      .enum(securityDepositTransactionKinds)
      .describe(
        "Kind of the transaction: a `receipt` by the owner who holds the deposit, the `application` to a charge, a transfer to or from the deposit of another lease, an `owner_transfer` of the money to an owner, or a `refund` to the tenant. Money that the organization receives is in the payments of the deposit charges.",
      ),
    amountCents: PositiveCents.describe("Amount of the transaction in cents."),
    occurredOn: PlainDate.describe("Day of the transaction."),
    chargeId: Id.nullable().describe("ID of the charge that an application settles, or null."),
    ownerId: Id.nullable().describe("ID of the owner to whom the money was transferred, or null."),
    counterpartId: Id.nullable().describe("ID of the security deposit on the other side of a transfer between leases, or null."),
    method: z.enum(paymentMethods).nullable().describe("Method of a refund or of a receipt by the owner, or null."),
    bankAccountId: Id.nullable().describe("ID of the bank account that the money left, or null."),
    referenceNumber: z.string().nullable().describe("Number of the check or transfer, or null."),
    payees: z.array(z.string()).describe("Names of the payees of a refund. Empty for other transactions."),
    journalEntryId: Id.nullable().describe("ID of the journal entry. Null for a transaction of a deposit that the owner holds."),
    createdAt: Instant.describe("Time at which the transaction was recorded."),
    voidedAt: Instant.nullable().describe("Time at which the transaction was voided. Null for one that was not voided."),
    voidReason: z.string().nullable().describe("Reason for voiding the transaction. Null for one that was not voided."),
  })
  .meta({ id: "SecurityDepositTransaction", description: "Movement of a security deposit, apart from the payments of its charges." });

const Disposition = z
  .strictObject({
    sentAt: Instant.describe("Time at which the disposition letter was sent."),
    method: z.enum(dispositionMethods).describe("Method by which the disposition letter was sent."),
    documentId: Id.nullable().describe(
      "ID of the document of the letter. Null in this version: the letter is printed by `GET /api/trust/security-deposits/{id}/disposition`.",
    ),
  })
  .meta({ id: "SecurityDepositDisposition", description: "Finalized disposition of a security deposit: proof that its letter was sent." });

export const SecurityDeposit = z
  .strictObject({
    id: Id.describe("ID of the security deposit."),
    organizationId: Id.describe("ID of the organization the security deposit belongs to."),
    leaseId: Id.describe("ID of the lease that the deposit is held for: the lease, or the renewal that has taken the deposit over."),
    tenantId: Id.describe("ID of the tenant whose deposit it is."),
    propertyId: Id.describe("ID of the property of the lease."),
    unitId: Id.describe("ID of the unit of the lease."),
    bankAccountId: Id.nullable().describe(
      "ID of the bank account in which the deposit is kept. Null: where its payments were deposited or transfers have moved it.",
    ),
    holder: z
      .enum(depositHolders)
      .describe("Holder of the money: the `organization`, in trust, or the `owner`, to whom it is passed and whose money is in no trust account."),
    requiredCents: PositiveCents.describe("Amount of the deposit in cents that the tenant has to pay."),
    receivedCents: NonNegativeCents.describe(
      "Amount in cents that was received: payments of deposit charges, receipts by the owner, and transfers from other leases.",
    ),
    deductionsCents: NonNegativeCents.describe("Sum of the deductions in cents, drafts included."),
    refundedCents: NonNegativeCents.describe("Amount in cents that was paid back to the tenant."),
    heldCents: Cents.describe(
      "Amount held in cents: what was received less what was applied, transferred, refunded and finally deducted. Negative when a payment was returned after its money had been used.",
    ),
    interestCents: NonNegativeCents.describe("Interest owed on the deposit in cents. 0 in this version, which calculates no interest."),
    refundPayableCents: NonNegativeCents.describe("Amount in cents to pay back to the tenant: the amount held less the deductions that are still drafts."),
    status: z
      .enum(securityDepositStatuses)
      .describe(
        "Status of the deposit: `expected` while nothing is held, `held`, `disposition_due` after the move-out, `disposed` once the disposition is finalized and a refund is payable, `refunded` when nothing is left of it, `forfeited` when nothing was to be refunded, or `transferred` to another lease or the owner.",
      ),
    moveOutDate: PlainDate.nullable().describe(
      "Day of the move-out: the latest one recorded for the tenants of the ended lease, or else its termination date or the day of its expiry; or as set by the office, in which case later changes of the lease do not move it. Null before.",
    ),
    dispositionDueOn: PlainDate.nullable().describe(
      "Day by which the disposition must be sent: the move-out plus `depositDeadlineDays` of the property or, without them, those of the policy `depositDeadlineDaysByState`, or else the days of the state or, if they were changed to fewer or the state has none, of the policy `defaultDepositDeadlineDays`. It is computed when the move-out is recorded and when `moveOutDate` is sent; later changes of the days do not move it. Null without a move-out.",
    ),
    forwardingAddress: z.string().nullable().describe("Address of the tenant after the move-out, or null."),
    chargeIds: z.array(Id).describe("IDs of the deposit charges, voided ones included."),
    deductions: z.array(SecurityDepositDeduction).describe("Deductions in the order of their creation."),
    disposition: Disposition.nullable().describe("Finalized disposition, or null."),
    transactions: z.array(SecurityDepositTransaction).describe("Transactions in the order in which they were recorded, voided ones included."),
    createdAt: Instant.describe("Time at which the security deposit was created."),
    updatedAt: Instant.describe("Time at which the security deposit or one of its charges was last changed."),
  })
  .meta({ id: "SecurityDeposit", description: "Security deposit of a tenancy: a lease and its renewals." });
export type SecurityDeposit = z.output<typeof SecurityDeposit>;

export const DepositDeadline = z
  .strictObject({
    state: z.enum(stateCodes).describe("Two-letter code of the state."),
    statutoryDays: z
      .int()
      .min(1)
      .nullable()
      .describe("Days after the move-out that the statute of the state sets; the fewest where it has several. Null for a state that is not in the table."),
    note: z.string().nullable().describe("Range or condition that the source names, or null."),
    source: z.string().nullable().describe("Statute from which the days are. Null for a state that is not in the table."),
    checkedOn: PlainDate.nullable().describe("Day on which the source was read. Null for a state that is not in the table."),
    isUnverified: z.boolean().describe("`true` for days that were taken from secondary sources. Ask a lawyer before relying on them."),
    policyDays: z.int().min(1).nullable().describe("Days that the organization's policy `depositDeadlineDaysByState` sets for the state, or null."),
    days: z
      .int()
      .min(1)
      .describe(
        "Days that apply to the properties of the state that set none: `policyDays` or, without them, `statutoryDays` or, if it was changed to fewer, the policy `defaultDepositDeadlineDays`.",
      ),
  })
  .meta({ id: "DepositDeadline", description: "Days of a state within which the disposition of a security deposit is due after the move-out." });
export type DepositDeadline = z.output<typeof DepositDeadline>;

export const DispositionStatement = z
  .strictObject({
    securityDepositId: Id.describe("ID of the security deposit."),
    organizationName: z.string().describe("Name of the organization."),
    tenantName: z.string().describe("Full name of the tenant."),
    propertyName: z.string().describe("Name of the property."),
    unitNumber: z.string().nullable().describe("Number of the unit, or null."),
    forwardingAddress: z.string().nullable().describe("Address of the tenant after the move-out, or null."),
    moveOutDate: PlainDate.nullable().describe("Day of the move-out, or null."),
    dispositionDueOn: PlainDate.nullable().describe("Day by which the letter must be sent, or null."),
    remainingDays: z.int().nullable().describe("Days until `dispositionDueOn`; negative when it has passed. Null without it."),
    deadline: z
      .strictObject({
        days: z.int().describe("Days from the move-out to `dispositionDueOn`, or those of the property without a move-out."),
        source: z
          .string()
          .describe(
            "Source of the days: a statute of the state, the property, a policy of the organization, or the `dispositionDueOn` of the deposit when it was set or computed before the days were changed.",
          ),
        checkedOn: PlainDate.nullable().describe("Day on which the source was read. Null for days that are not of a statute."),
        isUnverified: z.boolean().describe("`true` for days that were taken from secondary sources. Ask a lawyer before relying on them."),
      })
      .describe("Statutory deadline by which the disposition is due after a move-out."),
    heldCents: Cents.describe("Amount held in cents before the deductions."),
    deductions: z.array(SecurityDepositDeduction).describe("Deductions in the order of their creation."),
    deductionsCents: NonNegativeCents.describe("Sum of the deductions in cents."),
    refundCents: NonNegativeCents.describe("Amount in cents to pay back to the tenant after the deductions."),
    isFinal: z.boolean().describe("`false` for a draft, whose deductions can still be changed."),
    sentAt: Instant.nullable().describe("Time at which the letter was sent. Null for a draft."),
    sentOn: PlainDate.nullable().describe("Day on which the letter was sent, in the organization's time zone. Null for a draft."),
  })
  .meta({ id: "SecurityDepositDispositionStatement", description: "Itemized disposition of a security deposit, as its letter states it." });
export type DispositionStatement = z.output<typeof DispositionStatement>;
