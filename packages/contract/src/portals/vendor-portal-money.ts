/** Money of vendors in their portal: the invoices that they submit, and the payments that they were sent. */
import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { EstimateLine } from "../maintenance/work-order.schema.ts";
import { ExpensePayment } from "../payables/expense-payments.ts";
import { Expense } from "../payables/expenses.ts";
import { Id, listQuery, page, PlainDate, PositiveCents, text } from "../values.ts";

const vendor = ["vendor"] as const;

/** Expense as shown to the vendor who submitted it, without the accounts and the remarks of the office. */
export const VendorInvoice = Expense.pick({
  id: true,
  organizationId: true,
  name: true,
  amountCents: true,
  paidCents: true,
  outstandingCents: true,
  incurredOn: true,
  dueOn: true,
  invoiceNumber: true,
  propertyId: true,
  unitId: true,
  workOrderId: true,
  lines: true,
  documentIds: true,
  status: true,
  approvalStatus: true,
  createdAt: true,
  updatedAt: true,
  voidedAt: true,
}).meta({ id: "VendorInvoice", description: "An expense as the vendor who is paid sees it." });
export type VendorInvoice = z.output<typeof VendorInvoice>;

/** Payment as shown to the vendor, without the bank account and the remarks of the office. */
export const VendorPayment = ExpensePayment.pick({
  id: true,
  organizationId: true,
  amountCents: true,
  allocatedCents: true,
  unallocatedCents: true,
  currency: true,
  paymentMethod: true,
  status: true,
  paidAt: true,
  referenceNumber: true,
  createdAt: true,
  updatedAt: true,
})
  .extend({
    invoices: z
      .array(
        z.strictObject({
          expenseId: Id.describe("ID of the expense of the invoice."),
          invoiceNumber: z.string().nullable().describe("Number of the invoice, or null."),
          workOrderId: Id.nullable().describe("ID of the work order of the invoice, or null."),
          amountCents: PositiveCents.describe("Amount in cents by which the payment settles the invoice."),
        }),
      )
      .describe("Invoices of the vendor that the payment settles."),
  })
  .meta({ id: "VendorPayment", description: "A payment as the vendor who receives it sees it." });
export type VendorPayment = z.output<typeof VendorPayment>;

export const vendorPortalMoney = operationGroup("Vendor Portal", "ledger", {
  submitVendorInvoice: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/invoices",
    summary: "submit invoices for work orders assigned to them",
    access: vendor,
    description:
      "Records an expense of today at the property and unit of the work order, with the category `maintenance`, the vendor's own account if the office has set one, and the approval `pending`: it cannot be paid before the office approves it. It is due after the vendor's payment terms. An invoice with a number that the vendor has used before is recorded and named in `possibleDuplicates`. A cancelled work order returns 409 `invalid_transition`.",
    body: body({
      number: text(1, 80).describe("Number of the invoice."),
      amountCents: PositiveCents.describe("Total amount of the invoice in cents, at least 1."),
      lines: z
        .array(EstimateLine)
        .min(1)
        .max(100)
        .describe("Lines of the invoice, each rounded half up to a cent, that add up to `amountCents` (400 `mismatch`)."),
      documentIds: z.array(Id).max(20).default([]).describe("IDs of documents that the vendor reads, such as the invoice itself. Default: none."),
    }),
    response: {
      expense: VendorInvoice,
      possibleDuplicates: z.array(Id).describe("IDs of other expenses of the vendor with the same invoice number that are not voided."),
    },
    errors: [409],
    idempotent: true,
  },
  listVendorPortalPayments: {
    method: "GET",
    path: "/api/vendor-portal/payments",
    summary: "list the payments to them",
    access: vendor,
    description: "Lists the payments to the vendor that were issued. Payments that are pending, have failed or were voided are omitted.",
    query: listQuery(["paidAt", "amountCents", "createdAt"], {
      paidAfter: PlainDate.optional().describe("Only payments of this date or later, in the organization's time zone."),
      paidBefore: PlainDate.optional().describe("Only payments of this date or earlier, in the organization's time zone."),
    }).omit({ includeDeleted: true }),
    response: page("payments", VendorPayment),
  },
});
