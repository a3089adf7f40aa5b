import { z } from "zod";
import { accountingReports, Basis, BASIS_DESCRIPTION, LedgerVersion, requestedVersion } from "./accounting-reports.ts";
import { Charge, chargeFilters } from "./charges.ts";
import { entryListQuery } from "./entry-list.ts";
import { Payment, paymentFilters } from "./payments.ts";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, Page, PageSize, PlainDate, PositiveCents } from "../values.ts";

export const ledgerEntryKinds = ["charge", "payment", "credit", "reversal", "refund", "deposit"] as const;

export const LedgerEntry = z
  .strictObject({
    id: Id.describe("ID of the journal entry."),
    date: PlainDate.describe("Date of the journal entry: the due date of a charge, or the receipt of a payment."),
    kind: z
      .enum(ledgerEntryKinds)
      .describe(
        "Kind of the entry: a `charge`, a `payment` or a later allocation of its credit to a charge, a `credit` that reduces a charge, a `reversal` of another entry, a `refund`, or a security `deposit`.",
      ),
    description: z.string().describe("Purpose of the entry."),
    debitCents: NonNegativeCents.describe("Amount in cents by which the entry increases the balance; 0 for an entry that reduces it."),
    creditCents: NonNegativeCents.describe("Amount in cents by which the entry reduces the balance; 0 for an entry that increases it."),
    balanceCents: Cents.describe("Balance in cents after the entry: open charges less unallocated credit. Negative when credit is left."),
    chargeId: Id.nullable().describe("ID of the charge that the entry posts, credits or voids, or null."),
    paymentId: Id.nullable().describe("ID of the payment that the entry records, allocates, refunds or reverses, or null."),
    allocations: z
      .array(
        z.strictObject({
          id: Id.describe("ID of the allocation."),
          chargeId: Id.describe("ID of the charge that is settled."),
          paymentId: Id.describe("ID of the payment that settles the charge."),
          amountCents: PositiveCents.describe("Amount in cents."),
        }),
      )
      .describe(
        "Allocations of a payment that the entry posts, or all allocations to the charge of the entry, as of the last date: those dated on or before it and not released by then.",
      ),
  })
  .meta({ id: "LedgerEntry", description: "Entry of the ledger of a lease or tenant, with the balance after it." });

const query = z.strictObject({
  from: PlainDate.optional().describe("First date to return. Default: the date of the first entry."),
  to: PlainDate.optional().describe("Last date to return. Default: today, so charges that were posted and are due later are left out."),
  asOf: PlainDate.optional().describe("Last date to return; takes precedence over `to`. Default: today."),
  ledgerVersion: requestedVersion,
  ...entryListQuery(["date"], "entries"),
});

const response = {
  ...page("entries", LedgerEntry),
  openingBalanceCents: Cents.describe("Balance in cents before `from`; 0 without `from`."),
  closingBalanceCents: Cents.describe("Balance in cents at the end of the last date."),
  asOf: PlainDate.describe("Last date of the ledger. Sent together with `ledgerVersion`, it returns the same ledger again."),
  ledgerVersion: LedgerVersion,
};

const statementQuery = z
  .strictObject({
    from: PlainDate.describe("First date of the statement."),
    to: PlainDate.describe("Last date of the statement."),
    ledgerVersion: requestedVersion,
    format: z
      .enum(["json", "csv", "pdf"])
      .optional()
      .describe(
        "Format of the statement: `json`, `csv` for a file with one row per entry, or `pdf` for pages of letter size to print or send. Default: the format in the header `Accept`, otherwise `json`.",
      ),
  })
  .refine(({ from, to }) => from <= to, { path: ["to"], params: { code: "before_start" }, message: "to cannot be before from." });

export const AccountStatement = z
  .strictObject({
    leaseId: Id.nullable().describe("ID of the lease. Null for the statement of a tenant."),
    tenantId: Id.describe("ID of the tenant, or of the primary tenant of the lease."),
    from: PlainDate.describe("First date of the statement."),
    to: PlainDate.describe("Last date of the statement."),
    ledgerVersion: LedgerVersion,
    generatedAt: Instant.describe("Time at which the statement was generated."),
    openingBalanceCents: Cents.describe("Balance in cents before `from`: open charges less unallocated credit. Negative when credit is left."),
    debitTotalCents: NonNegativeCents.describe("Sum in cents of the entries that increase the balance: charges, reversed payments and refunds."),
    creditTotalCents: NonNegativeCents.describe("Sum in cents of the entries that reduce the balance: payments, credits and voided charges."),
    closingBalanceCents: Cents.describe("Balance in cents at the end of `to`: the opening balance plus debits less credits."),
    entries: z.array(LedgerEntry).describe("Entries from `from` to `to` in the order of their dates."),
  })
  .meta({ id: "AccountStatement", description: "Statement of a lease or tenant: all changes of the balance between two dates." });
export type AccountStatement = z.output<typeof AccountStatement>;

export const ledgers = operationGroup("Ledgers", "ledger", {
  listLeaseLedger: {
    method: "GET",
    path: "/api/leases/{id}/ledger",
    summary: "read the ledger of a lease",
    access: officeRoles,
    description:
      "Charges of the lease with all money and credits that settle them, and the unallocated credit of payments recorded for the lease. An allocation of such credit to a charge of the same lease does not change the balance and is not listed.",
    query,
    response,
  },
  getLeaseStatement: {
    method: "GET",
    path: "/api/leases/{id}/statement",
    summary: "read the statement of a lease",
    access: officeRoles,
    description: "The ledger of the lease between two dates, with the balances before and after. Limited to 5,000 entries (400 `max`).",
    query: statementQuery,
    response: { statement: AccountStatement },
    fileContentTypes: ["text/csv", "application/pdf"],
  },
  listTenantLedger: {
    method: "GET",
    path: "/api/tenants/{id}/ledger",
    summary: "read the ledger of a tenant",
    access: officeRoles,
    description:
      "Charges that the tenant owes with all money and credits that settle them, and the unallocated credit of payments by the tenant. A charge that a co-tenant pays is settled in the ledger of the tenant who owes it. The charges and payments of a merged duplicate belong to the surviving tenant; in a version of the ledger from before the merge, to the duplicate.",
    query,
    response,
  },
  getTenantStatement: {
    method: "GET",
    path: "/api/tenants/{id}/statement",
    summary: "read the statement of a tenant",
    access: officeRoles,
    description:
      "The ledger of the tenant between two dates, with the balances before and after. The charges and payments of a merged duplicate belong to the surviving tenant; in a version of the ledger from before the merge, to the duplicate. Limited to 5,000 entries (400 `max`).",
    query: statementQuery,
    response: { statement: AccountStatement },
    fileContentTypes: ["text/csv", "application/pdf"],
  },
  listTenantCharges: {
    method: "GET",
    path: "/api/tenants/{id}/charges",
    summary: "list the charges of a tenant",
    access: officeRoles,
    query: listQuery(["dueDate", "amountCents", "balanceCents", "status", "createdAt"], { status: chargeFilters.status }),
    response: page("charges", Charge),
  },
  listTenantPayments: {
    method: "GET",
    path: "/api/tenants/{id}/payments",
    summary: "list the payments of a tenant",
    access: officeRoles,
    query: listQuery(["receivedAt", "amountCents", "status", "createdAt"], { status: paymentFilters.status }),
    response: page("payments", Payment),
  },
  listPropertyLedger: {
    method: "GET",
    path: "/api/properties/{id}/ledger",
    summary: "read the ledger of a property",
    access: officeRoles,
    description:
      "Posted journal lines that are assigned to the property, in the order of their dates, each with the running balance of its account within the property.",
    query: z
      .strictObject({
        accountId: Id.optional().describe("Return only lines on this account."),
        from: PlainDate.optional().describe("First date to return. Default: the first day of the year of `to`."),
        to: PlainDate.optional().describe("Last date to return. Default: today."),
        asOf: PlainDate.optional().describe("Last date to return; takes precedence over `to`. Default: today."),
        basis: Basis.default("accrual").describe(BASIS_DESCRIPTION),
        ledgerVersion: requestedVersion,
        page: Page.default(1).describe("Number of the page to return, starting at 1."),
        pageSize: PageSize.default(20).describe("Maximum number of lines on a page."),
      })
      .refine(({ from, to, asOf = to }) => !from || !asOf || from <= asOf, {
        path: ["to"],
        params: { code: "before_start" },
        message: "to cannot be before from.",
      }),
    response: {
      ...accountingReports.operations.listGeneralLedger.response,
      asOf: PlainDate.describe("Last date of the ledger. Sent together with `ledgerVersion`, it returns the same ledger again."),
    },
  },
});
