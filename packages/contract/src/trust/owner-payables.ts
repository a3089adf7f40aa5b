import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, csvEnum, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, text } from "../values.ts";
import { trustWarnings } from "./trust-warnings.ts";

export const ownerPayableStatuses = ["draft", "approved", "paid", "voided"] as const;
export const payoutMethods = ["check", "ach", "other"] as const;
export const payoutTermKeys = [
  "cash",
  "deposits_held",
  "prepaid",
  "unpaid_expenses",
  "pending_payments",
  "held_estimates",
  "management_fees",
  "reserve",
  "additional_reserve",
  "share",
  "account_shortage",
] as const;
export const skipReasons = ["below_minimum", "hold", "negative", "no_bank_details", "reserve", "open_payable"] as const;

const PayoutTerm = z
  .strictObject({
    key: z
      .enum(payoutTermKeys)
      .describe(
        "Meaning of the term: `cash` of the property in the bank account at the end of the period, less what has been paid to owners since; `deposits_held` and `prepaid` rent of tenants in it; `unpaid_expenses` that are due; `pending_payments`, and what withdrawals after the period have taken, and those that are dated ahead will take; approved estimates that are not billed yet (`held_estimates`); `management_fees` of all days that no run has charged yet; the `reserve` of the property; its `additional_reserve`, whose label has its purpose; the part of other owners (`share`); what of the owner's part the bank account cannot pay (`account_shortage`), because the owner owes money there at other properties or the account holds less money of owners than they are owed.",
      ),
    label: z.string().describe("Name of the term, for statements."),
    amountCents: Cents.describe("Amount of the term in cents; negative for one that reduces the payout."),
    refs: z.array(Id).describe("IDs of the expenses of `unpaid_expenses`, and of the work orders of `held_estimates`. Empty for other terms."),
  })
  .meta({ id: "PayoutTerm", description: "Term of the calculation of a payout. The terms add up to the payout." });
export type PayoutTerm = z.output<typeof PayoutTerm>;

const method = z.enum(payoutMethods).describe("Method by which the owner is paid. By default that of the owner.");
const referenceNumber = text(1, 80).nullable().optional().describe("Number of the check or of the bank transfer. Default: null.");
const calculated = {
  ownerId: Id.describe("ID of the owner."),
  propertyId: Id.describe("ID of the property whose money is paid out."),
  bankAccountId: Id.describe("ID of the trust account that the money is paid from."),
  periodStart: PlainDate.describe("First day of the period: the day after the period of the payout before, or the first day of the month of `periodEnd`."),
  periodEnd: PlainDate.describe("Last day of the period, at whose end the money is counted."),
  grossCents: Cents.describe("Money of the property in the bank account in cents, the first term of the calculation."),
  amountCents: PositiveCents.describe("Amount of the payout in cents. It is less than the sum of the calculation after it was lowered."),
  calculation: z.array(PayoutTerm).describe("All terms of the calculation, those of 0 included."),
};

export const OwnerPayable = z
  .strictObject({
    id: Id.describe("ID of the payout."),
    organizationId: Id.describe("ID of the organization the payout belongs to."),
    ...calculated,
    status: z.enum(ownerPayableStatuses).describe("Status of the payout: `draft`, `approved`, `paid`, or `voided`, which takes it back."),
    method,
    referenceNumber: z.string().nullable().describe("Number of the check or of the bank transfer, or null."),
    reductionReason: z.string().nullable().describe("Reason for lowering the amount. Null for a payout of the calculated amount."),
    paidAt: Instant.nullable().describe("Time of the payment. Null while the payout is not paid."),
    journalEntryId: Id.nullable().describe("ID of the journal entry of the payment. Null while the payout is not paid."),
    statementId: Id.nullable().describe("ID of the latest statement of the owner that reports the payment, or null."),
    createdAt: Instant.describe("Time at which the payout was drafted."),
    updatedAt: Instant.describe("Time at which the payout was last changed."),
    voidedAt: Instant.nullable().describe("Time at which the payout was voided. Null for one that was not voided."),
    voidReason: z.string().nullable().describe("Reason for voiding the payout, or null."),
  })
  .meta({ id: "OwnerPayable", description: "Payout of the money of a property to one of its owners." });
export type OwnerPayable = z.output<typeof OwnerPayable>;

const PreviewLine = z.strictObject({ ...calculated, method }).meta({ id: "OwnerPayablePreviewLine", description: "Payout that a run would draft." });

const SkippedPayout = z
  .strictObject({
    ownerId: Id.describe("ID of the owner."),
    propertyId: Id.describe("ID of the property."),
    reason: z
      .enum(skipReasons)
      .describe(
        "Reason for which nothing is paid: payouts to the owner are on `hold`; the owner has no payout method (`no_bank_details`); the owner owes money there, or at other properties in the bank account more than the owner has, or the property or the bank account lacks it (`negative`), or the property lacks it only because of the `reserve`; the part of the owner is less than a cent (`below_minimum`); an earlier payout is drafted or approved (`open_payable`).",
      ),
    availableCents: Cents.describe("Part of the owner in the money that is available at the property, in cents. Negative by what the owner owes or lacks."),
  })
  .meta({ id: "SkippedPayout", description: "Owner and property to whom nothing is paid, and the reason." });

const previewBody = body({
  periodEnd: PlainDate.describe("Last day of the period, at whose end the money is counted. It cannot be after today."),
  ownerIds: z.array(Id).min(1).max(500).optional().describe("IDs of the owners to pay. Default: all owners."),
  propertyIds: z.array(Id).min(1).max(500).optional().describe("IDs of the properties whose money is paid out. Default: all properties."),
  bankAccountId: Id.optional().describe("ID of the trust account to pay from. Default: the only active operating account."),
});

const payableResponse = { ownerPayable: OwnerPayable };
const payment = {
  paidAt: Instant.describe("Time of the payment, whose day dates the journal entry."),
};

export const ownerPayables = operationGroup("Owner payouts", "ledger", {
  listOwnerPayables: {
    method: "GET",
    path: "/api/trust/owner-payables",
    summary: "list owner payouts",
    access: officeRoles,
    query: listQuery(["periodEnd", "amountCents", "createdAt"], {
      ownerId: Id.optional().describe("Return only payouts to this owner."),
      propertyId: Id.optional().describe("Return only payouts of the money of this property."),
      status: csvEnum(ownerPayableStatuses).optional().describe("Return only payouts with these statuses, repeated or comma-separated."),
      periodAfter: PlainDate.optional().describe("Return only payouts of periods that end on or after this date."),
      periodBefore: PlainDate.optional().describe("Return only payouts of periods that end on or before this date."),
    }),
    response: page("ownerPayables", OwnerPayable),
  },
  previewOwnerPayables: {
    method: "POST",
    path: "/api/trust/owner-payables/preview",
    summary: "preview owner payouts",
    access: officeRoles,
    changesNothing: true,
    description:
      "Calculates what can be paid to each owner of each property, with every term, and changes nothing. The money is that of the property in one bank account. Each owner is paid the balance of the owner's ledger at the property, less the unpaid expenses that the owner bears, the payouts of other bank accounts that are drafted or approved, and the part by share of what else is not available; so a former owner is paid what was earned before the sale, and nobody more than the own ledger has. Money that was spent after the period lowers the payout of its owner. An owner who owes money at a property in the bank account is paid no more than the owner has in it at all properties together, and all payouts are lowered in proportion to the money of owners that the bank account holds, which deposits, prepaid rent and the company's own money are not, besides the payouts that are drafted or approved, as far as their owners still have the money. A bank account with an `ownerId` pays that owner only.",
    body: previewBody,
    response: {
      preview: z
        .strictObject({
          lines: z.array(PreviewLine).describe("Payouts that a run would draft, by property and owner."),
          skipped: z.array(SkippedPayout).describe("Owners and properties to whom nothing is paid."),
          totalCents: NonNegativeCents.describe("Sum of the payouts in cents."),
        })
        .meta({ id: "OwnerPayablePreview", description: "Calculation of payouts to owners." }),
    },
  },
  runOwnerPayables: {
    method: "POST",
    path: "/api/trust/owner-payables/runs",
    summary: "draft owner payouts",
    access: adminsAndManagers,
    description:
      "Drafts the payouts of the preview. An owner has one payout of a property and bank account at a time that is drafted or approved; while there is one, nothing more is drafted for them.",
    body: previewBody,
    response: { ownerPayables: z.array(OwnerPayable).describe("Drafted payouts, by property and owner.") },
    errors: [409],
    idempotent: true,
  },
  getOwnerPayable: { method: "GET", path: "/api/trust/owner-payables/{id}", summary: "read an owner payout", access: officeRoles, response: payableResponse },
  updateOwnerPayable: {
    method: "PATCH",
    path: "/api/trust/owner-payables/{id}",
    summary: "change owner payouts",
    access: adminsAndManagers,
    description:
      "Changes a draft, whose amount can only be lowered, with a reason, or corrects the `referenceNumber` of a payout that was paid, also after it was voided. Returns 409 `invalid_transition` for other changes.",
    body: body({
      amountCents: PositiveCents.optional().describe("New amount in cents, at most the current one (400 `sum_exceeded`)."),
      reason: text(1, 500).optional().describe("Reason for the lower amount. Required with `amountCents`."),
      method: method.optional(),
      referenceNumber: text(1, 80)
        .nullable()
        .optional()
        .describe("Number of the check or of the bank transfer of a payout that was paid, or null. The payment sets the first one."),
    }).refine(({ amountCents, reason }) => amountCents === undefined || reason !== undefined, {
      path: ["reason"],
      params: { code: "required" },
      message: "A lower amount needs a reason. Set reason.",
    }),
    response: payableResponse,
    errors: [409],
  },
  approveOwnerPayable: {
    method: "POST",
    path: "/api/trust/owner-payables/{id}/approve",
    summary: "approve owner payouts",
    access: adminsAndManagers,
    response: payableResponse,
    errors: [409],
    idempotent: true,
  },
  payOwnerPayable: {
    method: "POST",
    path: "/api/trust/owner-payables/{id}/pay",
    summary: "pay owner payouts",
    access: adminsAndManagers,
    description:
      "Debits owner distributions (3200) and credits the bank account, both at the property and the owner. In a closed accounting period, the entry is dated the first open day. Under the policy `trustOverdraft` `block`, the property must have the amount and its reserves in the account on that day and all later days, an owner who owes money at another property there must have it at all properties together, and the account must hold it in all, without the deposits, prepaid rent and the company's own money in it (409 `insufficient_trust_funds`).",
    body: body({
      ...payment,
      method: method.optional(),
      referenceNumber,
    }),
    response: { ...payableResponse, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
  payOwnerPayables: {
    method: "POST",
    path: "/api/trust/owner-payables/pay-batch",
    summary: "pay several owner payouts",
    access: adminsAndManagers,
    description: "Pays approved payouts, all or none of them, by the method of each.",
    body: body({
      ...payment,
      ids: z.array(Id).min(1).max(500).describe("IDs of the payouts, each named once."),
      firstCheckNumber: z
        .int()
        .min(1)
        .max(999_999_999_999)
        .optional()
        .describe(
          "Number of the first check. Payouts that are paid by check are numbered from it without a gap, in the order of `ids`, as their `referenceNumber`. They must be paid from one bank account (400 `not_allowed`). Default: no numbers.",
        ),
    }),
    response: { ownerPayables: z.array(OwnerPayable).describe("Paid payouts in the order of the request."), ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
  voidOwnerPayable: {
    method: "POST",
    path: "/api/trust/owner-payables/{id}/void",
    summary: "void owner payouts",
    access: adminsAndManagers,
    description:
      "Voids a payout. For a paid one, reverses the journal entry of the payment on its own day, or on the first open day when that accounting period is closed. Refused with 409 `invalid_transition` when the payout is already voided or its bank account is archived, and with 409 `reconciled_transaction` when a finalized reconciliation has cleared the payment.",
    body: body({ reason: text(1, 500).optional().describe("Reason for voiding the payout, stored with it for audits. Default: none.") }),
    response: payableResponse,
    errors: [409],
    idempotent: true,
  },
});
