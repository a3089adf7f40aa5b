import { z } from "zod";
import { LedgerVersion, requestedVersion } from "../ledger/accounting-reports.ts";
import { entryListQuery } from "../ledger/entry-list.ts";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Cents, Id, NonNegativeCents, page, PlainDate } from "../values.ts";
import { expensePayments } from "./expense-payments.ts";
import { expenses } from "./expenses.ts";

export const vendorLedgerKinds = ["bill", "payment", "void"] as const;

export const VendorLedgerEntry = z
  .strictObject({
    journalEntryId: Id.describe("ID of the journal entry."),
    date: PlainDate.describe("Date of the journal entry: the day on which an expense was incurred, or the day of a payment."),
    kind: z
      .enum(vendorLedgerKinds)
      .describe("Kind of the entry: a `bill` of the vendor, a `payment` to the vendor or the removal of its allocation, or the `void` of one of both."),
    description: z.string().describe("Purpose of the entry."),
    debitCents: NonNegativeCents.describe("Amount in cents by which the entry reduces what is owed to the vendor; 0 for an entry that increases it."),
    creditCents: NonNegativeCents.describe("Amount in cents by which the entry increases what is owed to the vendor; 0 for an entry that reduces it."),
    balanceCents: Cents.describe("Amount owed to the vendor in cents after the entry. Negative when the vendor was paid in advance."),
    expenseId: Id.nullable().describe("ID of the expense that the entry records or voids, or null."),
    expensePaymentId: Id.nullable().describe("ID of the payment that the entry records, allocates or voids, or null."),
  })
  .meta({ id: "VendorLedgerEntry", description: "Bill of a vendor or payment to it, with what is owed to the vendor after it." });

const { listExpenses } = expenses.operations;
const { listExpensePayments } = expensePayments.operations;

export const vendorLedgers = operationGroup("Vendors", "ledger", {
  listVendorLedger: {
    method: "GET",
    path: "/api/vendors/{id}/ledger",
    summary: "read the ledger of a vendor",
    access: officeRoles,
    description:
      "What is owed to the vendor on accounts payable (2000): its expenses, the payments that settle them or were made in advance, and the voids of both. A payment to the vendor of an expense that names no vendor is not part of it.",
    query: z.strictObject({
      from: PlainDate.optional().describe("First date to return. Default: the date of the first entry."),
      to: PlainDate.optional().describe("Last date to return. Default: today."),
      ledgerVersion: requestedVersion,
      ...entryListQuery(["date"], "entries"),
    }),
    response: {
      ...page("entries", VendorLedgerEntry),
      openingBalanceCents: Cents.describe("Amount owed in cents before `from`; 0 without `from`."),
      closingBalanceCents: Cents.describe("Amount owed in cents at the end of the last date."),
      ledgerVersion: LedgerVersion,
    },
  },
  listVendorExpenses: {
    method: "GET",
    path: "/api/vendors/{id}/expenses",
    summary: "list the expenses of a vendor",
    access: officeRoles,
    query: listExpenses.query.omit({ vendorId: true }),
    response: listExpenses.response,
  },
  listVendorPayments: {
    method: "GET",
    path: "/api/vendors/{id}/payments",
    summary: "list the payments to a vendor",
    access: officeRoles,
    query: listExpensePayments.query.omit({ vendorId: true }),
    response: listExpensePayments.response,
  },
});
