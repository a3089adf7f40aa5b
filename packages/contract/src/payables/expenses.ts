import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { Charge } from "../ledger/charges.ts";
import { EstimateLine } from "../maintenance/work-order.schema.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, QueryBoolean, Search, text } from "../values.ts";

export const expenseCategories = ["maintenance", "utility", "tax", "insurance", "management", "other"] as const;
export const expenseStatuses = ["active", "voided"] as const;
export const approvalStatuses = ["not_required", "pending", "approved", "rejected"] as const;

const MARKUP =
  "Agreed mark-up in basis points for billing the expense to a tenant (`POST /api/expenses/{id}/charge-tenant`), or null. It changes no amount of the expense.";

const category = z
  .enum(expenseCategories)
  .describe("Category of the expense, which decides the account of the chart unless `categoryId` names one: 5000, 5010, 5020, 5030, 5040 or 5090.");

export const Expense = z
  .strictObject({
    id: Id.describe("ID of the expense."),
    organizationId: Id.describe("ID of the organization the expense belongs to."),
    name: z.string().nullable().describe("Name of the expense, or null."),
    description: z.string().nullable().describe("Description of the expense, or null."),
    category,
    categoryId: Id.describe("ID of the account of the chart that the expense is debited to."),
    amountCents: PositiveCents.describe("Amount of the expense in cents."),
    paidCents: NonNegativeCents.describe("Part of the amount in cents that payments have settled."),
    outstandingCents: NonNegativeCents.describe("Part of the amount in cents that is not paid. 0 for a voided expense."),
    incurredOn: PlainDate.describe("Day on which the expense was incurred, which dates the journal entry."),
    ownedOn: PlainDate.nullable().describe(
      "Day whose owners bear the expense: that of management fees on what earlier owners have earned. Null when the owners of `incurredOn` bear it.",
    ),
    dueOn: PlainDate.nullable().describe("Day on which the expense is due, or null."),
    invoiceNumber: z.string().nullable().describe("Number of the vendor's invoice, or null."),
    vendorId: Id.nullable().describe("ID of the vendor who is paid, or null."),
    vendorName: z.string().nullable().describe("Name of the vendor, or null for an expense without a vendor."),
    propertyId: Id.describe("ID of the property that bears the expense."),
    unitId: Id.nullable().describe("ID of the unit of the property, or null."),
    ownerId: Id.nullable().describe("ID of the owner who bears the expense alone, or null."),
    workOrderId: Id.nullable().describe("ID of the work order that caused the expense, or null."),
    markupBps: z.int().nullable().describe(MARKUP),
    chargeId: Id.nullable().describe("ID of the charge that bills the expense to a tenant. Null while there is none that is not voided."),
    lines: z
      .array(EstimateLine)
      .describe("Lines of an invoice that the vendor has submitted, which add up to the amount when it was submitted. Empty for others."),
    documentIds: z
      .array(Id)
      .describe("IDs of documents about the expense, such as the invoice and the receipt; those of an invoice that a vendor submits are the vendor's."),
    status: z.enum(expenseStatuses).describe("Status of the expense. A `voided` expense is owed to nobody."),
    approvalStatus: z
      .enum(approvalStatuses)
      .describe("Approval of the expense. One that is `pending` or `rejected` cannot be paid; one that needs no approval is `not_required`."),
    journalEntryId: Id.describe("ID of the journal entry of the expense."),
    createdAt: Instant.describe("Time at which the expense was recorded."),
    updatedAt: Instant.describe("Time at which the expense was last changed."),
    voidedAt: Instant.nullable().describe("Time at which the expense was voided. Null for one that was not voided."),
    voidReason: z.string().nullable().describe("Reason for voiding the expense, or null."),
  })
  .meta({ id: "Expense", description: "Bill or other expense of a property that is owed until payments settle it." });
export type Expense = z.output<typeof Expense>;

const optionalTerms = {
  name: text(1, 160).nullable().optional().describe("Name of the expense, or null."),
  description: text(1, 2_000).nullable().optional().describe("Description of the expense, or null."),
  categoryId: Id.optional().describe("ID of the expense account of the chart that is debited. Default: the account of the `category`."),
  dueOn: PlainDate.nullable().optional().describe("Day on which the expense is due, not before `incurredOn`, or null."),
  invoiceNumber: text(1, 80).nullable().optional().describe("Number of the vendor's invoice, or null."),
  vendorId: Id.nullable().optional().describe("ID of the vendor who is paid, or null."),
  unitId: Id.nullable().optional().describe("ID of a unit of the property, or null."),
  ownerId: Id.nullable().optional().describe("ID of the owner who bears the expense alone, or null."),
  workOrderId: Id.nullable().optional().describe("ID of a work order of the property that caused the expense, or null."),
  markupBps: z.int().min(0).max(10_000).nullable().optional().describe(MARKUP),
  documentIds: z
    .array(Id)
    .max(20)
    .optional()
    .describe(
      "IDs of documents about the expense that the caller can read, such as the invoice and the receipt. A change replaces all of them. Default: none.",
    ),
};

const expenseResponse = { expense: Expense };
const reason = (description: string) => body({ reason: text(1, 500).optional().describe(description) });

export const expenses = operationGroup("Expenses", "ledger", {
  listExpenses: {
    method: "GET",
    path: "/api/expenses",
    summary: "list expenses",
    access: officeRoles,
    query: listQuery(["incurredOn", "dueOn", "amountCents", "outstandingCents", "vendorName", "createdAt"], {
      search: Search.optional().describe("Return only expenses whose name, description, invoice number or vendor contains this text, ignoring case."),
      vendorId: Id.optional().describe("Return only expenses of this vendor."),
      propertyId: Id.optional().describe("Return only expenses of this property."),
      unitId: Id.optional().describe("Return only expenses of this unit."),
      workOrderId: Id.optional().describe("Return only expenses of this work order."),
      category: csvEnum(expenseCategories).optional().describe("Return only expenses of these categories, repeated or comma-separated."),
      status: csvEnum(expenseStatuses).optional().describe("Return only expenses with these statuses, repeated or comma-separated."),
      approvalStatus: csvEnum(approvalStatuses).optional().describe("Return only expenses with these approvals, repeated or comma-separated."),
      unpaidOnly: QueryBoolean.optional().describe("`true` returns only expenses that are not fully paid. Default: `false`."),
      incurredAfter: PlainDate.optional().describe("Return only expenses incurred on or after this date."),
      incurredBefore: PlainDate.optional().describe("Return only expenses incurred on or before this date."),
      dueBefore: PlainDate.optional().describe("Return only expenses due on or before this date."),
    }),
    response: {
      ...page("expenses", Expense),
      totals: z
        .strictObject({
          amountCents: NonNegativeCents.describe("Sum of the amounts of all matching expenses in cents, without voided ones."),
          outstandingCents: NonNegativeCents.describe("Sum of what is unpaid of all matching expenses in cents."),
        })
        .describe("Sums over all pages."),
    },
  },
  createExpense: {
    method: "POST",
    path: "/api/expenses",
    summary: "record expenses",
    access: adminsAndManagers,
    description:
      "Debits the expense account and credits accounts payable (2000) at the property, on the day on which the expense was incurred; on the cash basis nothing is recognized until it is paid. An expense of the same vendor with the same invoice number is recorded, and named in `possibleDuplicates`.",
    body: body({
      ...optionalTerms,
      amountCents: PositiveCents.describe("Amount of the expense in cents."),
      incurredOn: PlainDate.describe("Day on which the expense was incurred, in an open accounting period (409 `period_closed`)."),
      category,
      propertyId: Id.describe("ID of the property that bears the expense."),
      needsApproval: z
        .boolean()
        .default(false)
        .describe("`true` records the expense with the approval `pending`, so that it cannot be paid before it is approved. Default: `false`."),
    }),
    response: {
      ...expenseResponse,
      possibleDuplicates: z.array(Id).describe("IDs of other expenses of the same vendor with the same invoice number that are not voided."),
    },
    errors: [409],
    idempotent: true,
  },
  getExpense: {
    method: "GET",
    path: "/api/expenses/{id}",
    summary: "read an expense",
    access: officeRoles,
    response: {
      ...expenseResponse,
      payments: z
        .array(
          z.strictObject({
            expensePaymentId: Id.describe("ID of the payment."),
            allocationId: Id.describe("ID of the allocation."),
            amountCents: PositiveCents.describe("Amount in cents by which the payment settles the expense."),
            paidAt: Instant.describe("Time of the payment."),
          }),
        )
        .describe("Payments that settle the expense, oldest first."),
    },
  },
  updateExpense: {
    method: "PATCH",
    path: "/api/expenses/{id}",
    summary: "change expenses",
    access: adminsAndManagers,
    description:
      "A change of `amountCents`, `incurredOn`, `categoryId`, `propertyId`, `unitId`, `ownerId` or `vendorId` reverses the journal entry on its own day and posts a new one. It is refused with 409 `already_allocated` while payments settle the expense, for `incurredOn` also after they were voided, and with 409 `period_closed` when the old or the new day is in a closed accounting period. An approved expense is `pending` again after it. A new `category` without `categoryId` also changes the account. While a charge bills the expense to a tenant, its amount and property cannot be changed (409 `resource_in_use`). What is posted of an expense of management fees changes with their run only (409 `resource_in_use`).",
    body: body({
      ...optionalTerms,
      amountCents: PositiveCents.optional().describe("Amount of the expense in cents."),
      incurredOn: PlainDate.optional().describe("Day on which the expense was incurred."),
      category: category.optional(),
      propertyId: Id.optional().describe("ID of the property that bears the expense."),
    }),
    response: expenseResponse,
    errors: [409],
  },
  voidExpense: {
    method: "POST",
    path: "/api/expenses/{id}/void",
    summary: "void expenses",
    access: adminsAndManagers,
    description:
      "Reverses the journal entry of the expense, today or on the day of the expense when that is later. Refused with 409 `already_allocated` while payments settle it: void them or remove their allocations first, and with 409 `resource_in_use` while a charge bills it to a tenant: void the charge first. Expenses of management fees change with their run only (409 `resource_in_use`).",
    body: reason("Reason for voiding the expense, stored with it for audits. Default: none."),
    response: expenseResponse,
    errors: [409],
    idempotent: true,
  },
  approveExpense: {
    method: "POST",
    path: "/api/expenses/{id}/approve",
    summary: "approve expenses",
    access: adminsAndManagers,
    description: "Approves an expense whose approval is `pending` or `rejected`, so that it can be paid (409 `invalid_transition` otherwise).",
    body: reason("Reason for the approval, published with its event. Default: none."),
    response: expenseResponse,
    errors: [409],
    idempotent: true,
  },
  rejectExpense: {
    method: "POST",
    path: "/api/expenses/{id}/reject",
    summary: "reject expenses",
    access: adminsAndManagers,
    description:
      "Rejects an expense whose approval is `pending` or `approved`, so that it cannot be paid (409 `invalid_transition` otherwise, 409 `already_allocated` when payments settle it, and 409 `resource_in_use` while a charge bills it to a tenant). It is owed until it is voided.",
    body: reason("Reason for the rejection, published with its event. Default: none."),
    response: expenseResponse,
    errors: [409],
    idempotent: true,
  },
  splitExpense: {
    method: "POST",
    path: "/api/expenses/{id}/split",
    summary: "split expenses",
    access: adminsAndManagers,
    description:
      "Replaces an unpaid expense by one for each line, with the same vendor, invoice and dates, and at the same property with the same owner and work order: voids it on its own day and records the others on that day. The lines must add up to its amount. Refused with 409 `resource_in_use` while a charge bills it to a tenant. Expenses of management fees change with their run only (409 `resource_in_use`).",
    body: body({
      lines: z
        .array(
          body({
            propertyId: Id.describe("ID of the property that bears the line."),
            unitId: Id.nullable().optional().describe("ID of a unit of the property, or null."),
            amountCents: PositiveCents.describe("Amount of the line in cents."),
          }),
        )
        .min(2)
        .max(100)
        .describe("Parts of the expense, at least two."),
    }),
    response: { expenses: z.array(Expense).describe("Expenses that replace the split one, in the order of the lines.") },
    errors: [409],
    idempotent: true,
  },
  chargeExpenseTenant: {
    method: "POST",
    path: "/api/expenses/{id}/charge-tenant",
    summary: "charge tenants for expenses",
    access: adminsAndManagers,
    description:
      "Bills an expense to a tenant on a lease of its property: posts a charge of the amount of the expense and the mark-up, rounded half up to the cent. `expenseId` of the charge is the expense, `workOrderId` its work order, and `chargeId` of the expense the charge. An expense is billed once (409 `duplicate`); after its charge was voided, it can be billed again. Returns 400 `mismatch` for the lease of another unit than that of the expense, 409 `invalid_transition` for a voided or rejected expense and for one of a work order that is cancelled or chargeable to the owner or the organization, and 409 `resource_in_use` for one of management fees.",
    body: body({
      leaseId: Id.describe("ID of the lease that is charged, of the property of the expense, and of its unit if it has one."),
      categoryId: Id.describe("ID of the income account to credit."),
      dueDate: PlainDate.describe("Date by which the charge must be paid, in an open accounting period (409 `period_closed`)."),
      markupBps: z
        .int()
        .min(0)
        .max(10_000)
        .optional()
        .describe("Mark-up in basis points of the amount of the expense (1000 is 10 %). Default: `markupBps` of the expense, otherwise 0."),
      chargeType: z
        .enum(["utility", "cam", "tax", "insurance", "damage", "fee", "other"])
        .optional()
        .describe(
          "Type of the charge. Default: `utility`, `tax` or `insurance` for an expense of that category, `damage` for one of maintenance, otherwise `other`.",
        ),
      name: text(1, 160)
        .optional()
        .describe("Name of the charge, shown on statements and in the tenant portal. Default: the name of the expense, or its category."),
      memo: text(1, 1000).optional().describe("Internal note about the charge. Default: none."),
    }),
    response: { charge: Charge, ...expenseResponse },
    errors: [409],
    idempotent: true,
  },
});
