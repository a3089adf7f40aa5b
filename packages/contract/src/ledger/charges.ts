import { z } from "zod";
import { chargeTypes } from "../identity/accounts.ts";
import { FieldError } from "../errors.ts";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Cents, QueryBoolean, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text } from "../values.ts";

export const chargeStatuses = ["pending", "partially_paid", "paid", "voided"] as const;

const typesOfCharges =
  "`nsf_fee` is the fee for a returned payment, `cam` common area maintenance, `tax` and `insurance` the recovery of property tax and insurance from the tenant";

export const Charge = z
  .strictObject({
    id: Id.describe("ID of the charge."),
    organizationId: Id.describe("ID of the organization the charge belongs to."),
    leaseId: Id.describe("ID of the lease the charge is billed under."),
    tenantId: Id.describe("ID of the tenant who owes the charge: the primary tenant of the lease."),
    propertyId: Id.describe("ID of the property of the lease."),
    unitId: Id.describe("ID of the unit of the lease."),
    recurringChargeRuleId: Id.nullable().describe("ID of the recurring charge rule that posted the charge. Null for a charge that was created manually."),
    name: z.string().describe("Name of the charge, shown on statements and in the tenant portal."),
    chargeType: z.enum(chargeTypes).describe(`Type of the charge; ${typesOfCharges}.`),
    categoryId: Id.describe("ID of the account the charge is credited to, such as rent income (4000), or the deposit liability (2110) for a deposit."),
    amountCents: PositiveCents.describe("Amount of the charge in cents, at least 1."),
    allocatedCents: NonNegativeCents.describe("Amount paid in cents: the sum of the payments allocated to the charge."),
    creditedCents: NonNegativeCents.describe("Amount in cents by which credits reduced the charge, and which security deposits have paid of it."),
    balanceCents: NonNegativeCents.describe("Open balance in cents: `amountCents` less `allocatedCents` and `creditedCents`; 0 when the charge is voided."),
    dueDate: PlainDate.describe("Date by which the charge must be paid."),
    postedAt: Instant.describe("Time at which the charge was posted to the ledger."),
    periodStart: PlainDate.nullable().describe("First day of the period a recurring charge is billed for. Null for other charges."),
    periodEnd: PlainDate.nullable().describe("Last day of the period a recurring charge is billed for. Null for other charges."),
    status: z.enum(chargeStatuses).describe("Status of the charge. `pending` is unpaid; `voided` charges were reversed in the ledger and owe nothing."),
    isOverdue: z.boolean().describe("Indicates that the charge has an open balance and its due date has passed."),
    daysOverdue: z.int().min(0).describe("Number of days since the due date while the charge is overdue, otherwise 0."),
    lateFeeForChargeId: Id.nullable().describe("ID of the overdue charge that a late fee was assessed for, or null."),
    workOrderId: Id.nullable().describe("ID of the work order whose cost the charge bills to the tenant, or null."),
    expenseId: Id.nullable().describe("ID of the expense that the charge bills to the tenant, or null."),
    memo: z.string().nullable().describe("Internal note about the charge, or null."),
    createdAt: Instant.describe("Time at which the charge was created."),
    updatedAt: Instant.describe("Time at which the charge was last changed."),
    voidedAt: Instant.nullable().describe("Time at which the charge was voided. Null for a charge that was not voided."),
  })
  .meta({ id: "Charge", description: "Amount owed by a tenant under a lease." });
export type Charge = z.output<typeof Charge>;

export const ChargeAllocation = z
  .strictObject({
    id: Id.describe("ID of the allocation."),
    paymentId: Id.describe("ID of the payment that was allocated to the charge."),
    chargeId: Id.describe("ID of the charge."),
    amountCents: PositiveCents.describe("Amount allocated to the charge in cents, at least 1."),
    createdAt: Instant.describe("Time at which the payment was allocated to the charge."),
  })
  .meta({ id: "ChargeAllocation", description: "Part of a payment that was applied to a charge." });

const creditReason = z
  .enum(["waive", "concession", "correction", "other"])
  .describe("Reason for the credit: `waive` (the charge is forgiven), `concession` (agreed with the tenant), `correction` (charged too much) or `other`.");

export const ChargeCredit = z
  .strictObject({
    id: Id.describe("ID of the credit."),
    chargeId: Id.describe("ID of the charge that the credit reduces."),
    amountCents: PositiveCents.describe("Amount of the credit in cents, at least 1."),
    reason: creditReason,
    memo: z.string().nullable().describe("Internal note about the credit, or null."),
    creditedOn: PlainDate.describe("Date of the credit and of its journal entry."),
    createdAt: Instant.describe("Time at which the credit was given."),
    reversedAt: Instant.nullable().describe("Time at which the credit was reversed. Null for a credit that reduces its charge."),
  })
  .meta({ id: "ChargeCredit", description: "Amount by which a charge was reduced without a payment." });
export type ChargeCredit = z.output<typeof ChargeCredit>;
const creditAndCharge = { charge: Charge, credit: ChargeCredit };

const PostingLine = z.strictObject({
  ruleId: Id.describe("ID of the recurring charge rule."),
  label: z.string().describe("Label of the recurring charge rule, which names the charge."),
  leaseId: Id.nullable().describe("ID of the lease that is charged. Null when the unit was vacant."),
  tenantId: Id.nullable().describe("ID of the tenant who is charged. Null when the unit was vacant."),
  unitId: Id.nullable().describe("ID of the unit. Null when neither the rule nor its lease names one."),
  periodStart: PlainDate.describe("First day of the billed period."),
  dueDate: PlainDate.describe("Due date of the charge."),
  amountCents: PositiveCents.describe("Amount of the charge in cents, prorated for a partial period."),
  chargeId: Id.nullable().describe("ID of the posted charge. Null when nothing was posted, and always null with `dryRun`."),
  reason: z
    .string()
    .nullable()
    .describe(
      "Why the period was skipped: `vacant` when the unit had no active lease on the due date, `already_posted`, or `rule_changed` when the recurring charge was changed during the run. Null when the charge was posted, or would be with `dryRun`.",
    ),
});

const AssessmentLine = z.strictObject({
  chargeId: Id.describe("ID of the unpaid rent charge."),
  leaseId: Id.describe("ID of the lease."),
  kind: z.enum(["flat", "percent", "daily"]).describe("Kind of the late fee."),
  dayIndex: z.int().min(0).describe("Number of the day of a daily late fee, starting at 0; 0 for other late fees."),
  date: PlainDate.describe("Day of the late fee, which is its due date."),
  amountCents: NonNegativeCents.describe("Amount of the late fee in cents; 0 when it was skipped."),
  lateFeeChargeId: Id.nullable().describe("ID of the charge of the late fee. Null when nothing was charged, and always null with `dryRun`."),
  reason: z
    .enum(["paid_in_time", "limit_reached", "no_amount", "already_assessed"])
    .nullable()
    .describe(
      "Why the day has no fee: the rent was `paid_in_time`, the maximum is reached (`limit_reached`), the fee rounds down to 0 (`no_amount`), or it was `already_assessed`. Null when the fee was charged, or would be with `dryRun`.",
    ),
});

/** Body of the creation of a charge. */
export const NewCharge = body({
  leaseId: Id.describe("ID of the lease to charge."),
  amountCents: PositiveCents.describe("Amount of the charge in cents, at least 1."),
  dueDate: PlainDate.describe("Date by which the charge must be paid."),
  chargeType: z.enum(chargeTypes).describe(`Type of the charge; ${typesOfCharges}.`),
  categoryId: Id.optional().describe(
    "ID of the income account to credit. Not permitted for a deposit, which is always credited to 2110. Default: the account of the charge type.",
  ),
  name: text(1, 160).optional().describe("Name of the charge, shown on statements and in the tenant portal. Default: the charge type, such as `Late fee`."),
  memo: text(1, 1000).optional().describe("Internal note about the charge."),
}).refine(({ chargeType, categoryId }) => chargeType !== "deposit" || categoryId === undefined, {
  path: ["categoryId"],
  params: { code: "not_allowed" },
  message: "A deposit is always credited to 2110 Security deposits due. Leave categoryId out.",
});

/** Filters of charges, which lists of the charges of one resource share. */
export const chargeFilters = {
  search: Search.optional().describe("Return only charges whose name or memo contains this text, ignoring case."),
  leaseId: Id.optional().describe("Return only charges of this lease."),
  tenantId: Id.optional().describe("Return only charges owed by this tenant."),
  propertyId: Id.optional().describe("Return only charges of this property."),
  unitId: Id.optional().describe("Return only charges of this unit."),
  recurringChargeRuleId: Id.optional().describe("Return only charges posted by this recurring charge rule."),
  workOrderId: Id.optional().describe("Return only charges that bill the cost of this work order."),
  chargeType: csvEnum(chargeTypes).optional().describe("Return only charges of these types, repeated or comma-separated."),
  status: csvEnum(chargeStatuses).optional().describe("Return only charges with these statuses, repeated or comma-separated."),
  overdue: QueryBoolean.optional().describe("Return only overdue charges (`true`), or only charges that are not overdue (`false`)."),
  dueAfter: PlainDate.optional().describe("Return only charges due on or after this date."),
  dueBefore: PlainDate.optional().describe("Return only charges due on or before this date."),
  createdAfter: PlainDate.optional().describe("Return only charges created on or after this date, in the organization's time zone."),
  createdBefore: PlainDate.optional().describe("Return only charges created on or before this date, in the organization's time zone."),
};

export const charges = operationGroup("Charges", "ledger", {
  listCharges: {
    method: "GET",
    path: "/api/charges",
    summary: "list charges",
    access: officeRoles,
    query: listQuery(["dueDate", "amountCents", "balanceCents", "status", "createdAt"], chargeFilters),
    response: {
      ...page("charges", Charge),
      totals: z
        .strictObject({
          amountCents: Cents.describe("Sum of the amounts in cents."),
          balanceCents: Cents.describe("Sum of the open balances in cents."),
        })
        .describe("Sums over the charges of all pages."),
    },
  },
  createCharge: {
    method: "POST",
    path: "/api/charges",
    summary: "create charges",
    access: adminsAndManagers,
    description:
      "Debits accounts receivable and credits the income account of the charge type, or the one in `categoryId`; a deposit credits the deposit liability. The journal entry is dated the due date, whenever the charge is created. Unallocated credit of the tenant is applied to the charge only when the policy `autoAllocatePayments` is set.",
    body: NewCharge,
    response: { charge: Charge },
    errors: [409],
    idempotent: true,
  },
  createCharges: {
    method: "POST",
    path: "/api/charges/bulk",
    summary: "create charges in bulk",
    access: adminsAndManagers,
    description:
      "Creates up to 500 charges. The valid ones are posted in one transaction, all of them or none; each invalid one is reported in `errors` with its position and does not affect the others. Send an `Idempotency-Key`, so that a repetition after a lost response creates nothing twice.",
    body: body({
      charges: z
        .array(
          NewCharge.or(z.unknown()).meta({
            override: ({ jsonSchema }) => {
              Object.assign(jsonSchema, jsonSchema.anyOf![0]);
              delete jsonSchema.anyOf;
            },
          }),
        )
        .min(1)
        .max(500)
        .describe("Charges to create, each with the members of the request body of `POST /api/charges`. At least 1 and at most 500."),
    }),
    response: {
      charges: z.array(Charge).describe("Created charges, in the order of the request, without the invalid ones."),
      errors: z
        .array(
          FieldError.extend({
            index: z.int().min(0).describe("Position of the charge in the request, starting at 0."),
            path: z.string().describe("Path of the invalid member within the charge, such as `amountCents`."),
          }),
        )
        .describe("Errors of the charges that were not created, in the order of the request."),
    },
    errors: [409],
    idempotent: true,
  },
  getCharge: {
    method: "GET",
    path: "/api/charges/{id}",
    summary: "read a charge",
    access: officeRoles,
    response: {
      charge: Charge,
      allocations: z.array(ChargeAllocation).describe("Payments allocated to the charge, oldest first."),
      credits: z.array(ChargeCredit).describe("Credits of the charge, oldest first, including reversed ones."),
    },
  },
  updateCharge: {
    method: "PATCH",
    path: "/api/charges/{id}",
    summary: "change charges",
    access: adminsAndManagers,
    description:
      "Changes a charge to which no payment is allocated and no credit is given, else 409 `already_allocated`. A changed due date dates the journal entry anew: the entry is reversed on its own date and posted again on the new one. The due date of a charge that a reversed payment or credit had settled cannot change. A charge that is due in a closed accounting period cannot change at all, and no due date is moved into one (409 `period_closed`).",
    body: body({
      name: text(1, 160).describe("Name of the charge, shown on statements and in the tenant portal."),
      memo: text(1, 1000).nullable().describe("Internal note about the charge, or null to remove it."),
      dueDate: PlainDate.describe("Date by which the charge must be paid."),
    }).partial(),
    response: {
      charge: Charge,
      allocations: z.array(ChargeAllocation).describe("Payments allocated to the charge, always empty."),
    },
    errors: [409],
  },
  voidCharge: {
    method: "POST",
    path: "/api/charges/{id}/void",
    summary: "void charges",
    access: adminsAndManagers,
    description:
      "Reverses the journal entry of the charge. Refused with 409 `already_allocated` while a payment is allocated to the charge, and with 409 `resource_in_use` while a credit reduces it.",
    body: body({
      reason: text(1, 500).describe("Reason for voiding the charge, stored with the charge for audits."),
    }),
    response: { charge: Charge },
    errors: [409],
    idempotent: true,
  },
  creditCharge: {
    method: "POST",
    path: "/api/charges/{id}/credit",
    summary: "credit charges",
    access: adminsAndManagers,
    description:
      "Reduces the balance of a charge without a payment. Debits the account of the charge and credits accounts receivable; on the cash basis nothing is posted. A charge with a balance of 0 becomes `paid`.",
    body: body({
      amountCents: PositiveCents.describe("Amount of the credit in cents, at least 1 and at most the balance of the charge."),
      reason: creditReason,
      memo: text(1, 1000).optional().describe("Internal note about the credit."),
      creditedOn: PlainDate.optional().describe(
        "Date of the credit and of its journal entry, not before the due date of the charge. An amount that was not open on that day, because a payment reversed later settled it, is credited on the day of the reversal, and a date in a closed accounting period becomes the first open day. Default: today, or the due date of a charge that is due later.",
      ),
    }),
    response: creditAndCharge,
    errors: [409],
    idempotent: true,
  },
  reverseCredit: {
    method: "POST",
    path: "/api/charges/{id}/credits/{creditId}/reverse",
    summary: "reverse credits",
    access: adminsAndManagers,
    description:
      "Reverses the journal entry of a credit today, or on the date of a credit that is dated later. The charge is open again by the amount of the credit. A credit that a security deposit pays is taken back at the deposit (409 `resource_in_use`).",
    response: creditAndCharge,
    errors: [409],
    idempotent: true,
  },
  postDueCharges: {
    method: "POST",
    path: "/api/charges/post-due",
    summary: "post due charges",
    access: adminsAndManagers,
    description:
      "Posts all recurring charges due through a date. Each period of a rule is posted once, however often the operation is called. With `dryRun`, nothing is posted and the response lists the charges that would be.",
    body: body({
      throughDate: PlainDate.optional().describe(
        "Last due date to post, at most one year ahead. Default: today plus the days of the policy `postDaysInAdvance`.",
      ),
      propertyId: Id.optional().describe("ID of the property to post charges for. Default: all properties."),
      dryRun: z.boolean().default(false).describe("Computes the charges without posting them."),
    }),
    response: {
      posting: z
        .strictObject({
          throughDate: PlainDate.describe("Last due date that was posted."),
          created: z.int().min(0).describe("Number of charges posted; 0 with `dryRun`."),
          skipped: z.int().min(0).describe("Number of periods skipped; `reason` of their lines explains why."),
          lines: z.array(PostingLine).describe("One line for each due period of a rule."),
        })
        .meta({ id: "Posting", description: "Result of posting recurring charges." }),
    },
    errors: [409],
    idempotent: true,
  },
  assessLateFees: {
    method: "POST",
    path: "/api/charges/assess-late-fees",
    summary: "assess late fees",
    access: adminsAndManagers,
    description:
      "Charges the late fees of unpaid rent. A job does the same at the start of each day, except for rent that was posted after the day of its late fee. The fee is due on the day after the grace period, `dueDate` plus the days of grace plus 1, and depends on the amount that was open at the start of that day; payments count from their receipt, credits from their date. The late-fee terms of the lease and the limits `lateFeeMaxCents` and `lateFeeMaxBps` of the policies apply as they were when the rent was posted; imported charges bear no late fees. Each day of a charge is assessed once, however often the operation is called. An unpaid late fee is voided when the rent is voided, and when a payment or credit that is recorded later had settled the rent before the day of the fee.",
    body: body({
      asOf: PlainDate.optional().describe("Last day to assess, at most today. Default: today."),
      dryRun: z.boolean().default(false).describe("Computes the late fees without charging them."),
    }),
    response: {
      assessment: z
        .strictObject({
          asOf: PlainDate.describe("Last day that was assessed."),
          created: z.int().min(0).describe("Number of late fees charged; 0 with `dryRun`."),
          skipped: z.int().min(0).describe("Number of days without a fee; `reason` of their lines explains why."),
          lines: z.array(AssessmentLine).describe("One line for each day of a charge that was assessed."),
        })
        .meta({ id: "LateFeeAssessment", description: "Result of assessing late fees." }),
    },
    errors: [409],
    idempotent: true,
  },
});
