import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Cents, Id, NonNegativeCents, page, Page, PageSize, PlainDate, PositiveCents } from "../values.ts";

export const ledgerEntryKinds = ["charge", "payment", "credit", "reversal", "refund", "deposit"] as const;

export const LedgerEntry = z
  .strictObject({
    id: Id.describe("ID of the journal entry."),
    date: PlainDate.describe("Date of the journal entry: the due date of a charge, or the receipt of a payment."),
    kind: z
      .enum(ledgerEntryKinds)
      .describe(
        "Kind of the entry: a `charge`, a `payment` or credit of a payment that settles a charge later, a `credit` that reduces a charge, a `reversal` of another entry, a `refund`, or a security `deposit`.",
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
          paymentId: Id.describe("ID of the payment that settles it."),
          amountCents: PositiveCents.describe("Amount in cents."),
        }),
      )
      .describe("Allocations of a payment that the entry posts, or all allocations to the charge of the entry."),
  })
  .meta({ id: "LedgerEntry", description: "Entry of the ledger of a lease or tenant, with the balance after it." });

const query = z.strictObject({
  from: PlainDate.optional().describe("First date to return. Default: the date of the first entry."),
  to: PlainDate.optional().describe("Last date to return. Default: today."),
  sortDirection: z.enum(["asc", "desc"]).default("asc").describe("Order of the dates: `asc` is ascending, `desc` is descending."),
  page: Page.default(1).describe("Number of the page to return, starting at 1."),
  pageSize: PageSize.default(20).describe("Maximum number of entries on a page."),
});

const response = {
  ...page("entries", LedgerEntry),
  openingBalanceCents: Cents.describe("Balance in cents before `from`; 0 without `from`."),
  closingBalanceCents: Cents.describe("Balance in cents at the end of `to`."),
};

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
  listTenantLedger: {
    method: "GET",
    path: "/api/tenants/{id}/ledger",
    summary: "read the ledger of a tenant",
    access: officeRoles,
    description:
      "Charges that the tenant owes with all money and credits that settle them, and the unallocated credit of payments by the tenant. A charge that a co-tenant pays is settled in the ledger of the tenant who owes it.",
    query,
    response,
  },
});
