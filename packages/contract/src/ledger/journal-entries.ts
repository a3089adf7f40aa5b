import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import {
  csvEnum,
  Id,
  Instant,
  NonNegativeCents,
  Page,
  PageSize,
  paging,
  PlainDate,
  QueryBoolean,
  Search,
  text,
  queryInteger,
  UnboundedInstant,
} from "../values.ts";
import { trustWarnings } from "../trust/trust-warnings.ts";

const statuses = ["draft", "posted", "reversed"] as const;
export const entrySources = [
  "manual",
  "charge",
  "payment",
  "allocation",
  "credit",
  "refund",
  "deposit",
  "bank_fee",
  "opening_balance",
  "transfer",
  "adjustment",
  "expense",
  "expense_payment",
  "expense_allocation",
  "contribution",
  "distribution",
  "management_fee",
  "security_deposit",
  "reversal",
] as const;
/** Types of the documents that entries record. */
export const entryDocuments = [
  "charge",
  "payment",
  "deposit",
  "bank_account",
  "transfer",
  "adjustment",
  "expense",
  "expense_payment",
  "contribution",
  "owner_payable",
  "management_fee_run",
  "security_deposit",
] as const;

export const JournalLine = z
  .strictObject({
    id: Id.describe("ID of the line."),
    accountId: Id.describe("ID of the account (category) that is debited or credited."),
    accountCode: z.string().nullable().describe("Code of the account, such as `4000`. Null for an account that is not in the chart."),
    accountName: z.string().nullable().describe("Name of the account, such as `Rent`. Null for an account that is not in the chart."),
    debitCents: NonNegativeCents.describe("Debit amount in cents; 0 for a credit line."),
    creditCents: NonNegativeCents.describe("Credit amount in cents; 0 for a debit line."),
    propertyId: Id.nullable().describe("ID of the property the line is assigned to, or null."),
    unitId: Id.nullable().describe("ID of the unit the line is assigned to, or null."),
    ownerId: Id.nullable().describe("ID of the owner the line is assigned to, or null."),
    leaseId: Id.nullable().describe("ID of the lease the line is assigned to, or null. A line that settles a charge has the lease of the charge."),
    tenantId: Id.nullable().describe("ID of the tenant the line is assigned to, or null. A line that settles a charge has the tenant of the charge."),
    bankAccountId: Id.nullable().describe(
      "ID of the bank account whose money the line moves, or null. A line on deposits held or prepaid rent names the account that holds the money after a transfer.",
    ),
    chargeId: Id.nullable().describe("ID of the charge that the line posts or settles, or null."),
    paymentId: Id.nullable().describe("ID of the payment whose money the line moves, or null."),
    description: z.string().nullable().describe("Description of the line, or null."),
  })
  .meta({ id: "JournalLine", description: "Debit or credit of one account in a journal entry." });

export const JournalEntry = z
  .strictObject({
    id: Id.describe("ID of the journal entry."),
    organizationId: Id.describe("ID of the organization the entry belongs to."),
    memo: z.string().describe("Purpose of the entry."),
    // The first and the last accepted day begin outside the range of `Instant` in some time zones.
    occurredAt: UnboundedInstant.describe("Time at which the transaction occurred. The entry is dated accordingly in the organization's time zone."),
    status: z
      .enum(statuses)
      .describe("Status of the entry. A `draft` does not affect balances; a `posted` entry is immutable; a `reversed` entry is offset by its reversing entry."),
    source: z
      .enum(entrySources)
      .describe(
        "Origin of the entry: `manual`, a `charge`, a `payment`, a later `allocation` of a payment, a `credit` that reduces a charge, a `refund` of a payment's credit, a `deposit` of payments at a bank, a `bank_fee` for a returned payment, the `opening_balance` of a bank account, a `transfer` between bank accounts, an `adjustment` for a fee or interest of the bank, an `expense`, an `expense_payment`, or a later `expense_allocation` of one, a `contribution` of an owner, a `distribution` to one, a `management_fee`, a transaction of a `security_deposit`, or a `reversal` of another entry.",
      ),
    sourceType: z
      .enum(entryDocuments)
      .nullable()
      .describe(
        "Type of the document that the entry records: a `charge`, a `payment`, a `deposit` at a bank, a `bank_account` with an opening balance, a `transfer`, an `adjustment`, an `expense`, an `expense_payment`, a `contribution` of an owner, a payout to one (`owner_payable`), a `management_fee_run` or a `security_deposit`; allocations and reversals have the type of their payment or charge. Null for a manual entry.",
      ),
    sourceId: Id.nullable().describe("ID of the document that the entry records. Null for a manual entry."),
    debitTotalCents: NonNegativeCents.describe("Sum of the debits in cents."),
    creditTotalCents: NonNegativeCents.describe("Sum of the credits in cents, equal to `debitTotalCents` unless the entry is a draft."),
    reversedById: Id.nullable().describe("ID of the entry that reverses this entry. Null while the entry is not reversed."),
    reversesId: Id.nullable().describe("ID of the entry that this entry reverses. Null for an entry that is not a reversal."),
    movedFromDate: PlainDate.nullable().describe(
      "Date that the entry would have, had the accounting period not been closed: the entry is dated the first open day instead. Null for an entry on its own date.",
    ),
    overrideReason: z.string().nullable().describe("Reason for which an admin posted the entry into a soft-closed accounting period, or null."),
    createdByUserId: Id.nullable().describe("ID of the user or service key that created the entry. Null for an entry posted by the system."),
    createdAt: Instant.describe("Time at which the entry was created."),
    deletedAt: Instant.nullable().describe("Time at which the draft was deleted; null unless deleted. Posted entries are never deleted."),
    lines: z.array(JournalLine).describe("Debits and credits of the entry."),
  })
  .meta({
    id: "JournalEntry",
    description: "Entry of the general journal. Debits equal credits in every posted entry. Posted entries are immutable and corrected by a reversal.",
  });
export type JournalEntry = z.output<typeof JournalEntry>;

const Line = body({
  accountId: Id.describe(
    "ID of the account (category) to debit or credit. Control accounts (1050, 1100, 1150, 2000, 2100, 2110, 2150, 2200, 2250) take no manual lines (400 `control_account`).",
  ),
  debitCents: NonNegativeCents.optional().describe("Debit amount in cents. Exactly one of `debitCents` and `creditCents` must be above 0."),
  creditCents: NonNegativeCents.optional().describe("Credit amount in cents. Exactly one of `debitCents` and `creditCents` must be above 0."),
  description: z.string().max(500).nullable().optional().describe("Description of the line, or null."),
  ownerId: Id.nullable().optional().describe("ID of the owner to assign the line to, or null."),
  propertyId: Id.nullable().optional().describe("ID of the property to assign the line to, or null."),
  unitId: Id.nullable().optional().describe("ID of the unit to assign the line to, a unit of the property if the line names one, or null."),
  bankAccountId: Id.nullable()
    .optional()
    .describe(
      "ID of the bank account whose money the line moves. Only for a line on a bank account of the chart. Default: the only active bank account that is posted to it; with several, an entry is posted only when the line names one (400 `required`).",
    ),
}).refine((line) => (line.debitCents ?? 0) > 0 !== (line.creditCents ?? 0) > 0, {
  path: ["debitCents"],
  params: { code: "not_allowed" },
  message: "Set either debitCents or creditCents of a line above zero, not both.",
});

const PeriodOverride = z.object({
  "X-Period-Override": text(1, 500)
    .optional()
    .describe(
      "Reason for posting into a soft-closed accounting period, kept with the entry. Admins only; other roles receive 403. A closed period stays closed.",
    ),
});

const EntryTerms = {
  lines: z.array(Line).min(2).max(500).describe("Debits and credits of the entry."),
  memo: text(1, 500).describe("Purpose of the entry."),
  occurredAt: Instant.describe("Time at which the transaction occurred. The entry is dated accordingly in the organization's time zone."),
};

export const journalEntries = operationGroup("Accounting", "ledger", {
  listJournalEntries: {
    method: "GET",
    path: "/api/accounting/journal-entries",
    summary: "list journal entries",
    access: officeRoles,
    description:
      "Not paged unless `page` or `pageSize` is sent; the paging members are returned only then. Lists of more than 10,000 entries must be paged (400 `page_required`). The filters by account, property, unit and owner must all match one and the same line.",
    query: z.strictObject({
      accountId: Id.optional().describe("Return only entries with a line on this account."),
      propertyId: Id.optional().describe("Return only entries with a line assigned to this property."),
      unitId: Id.optional().describe("Return only entries with a line assigned to this unit."),
      ownerId: Id.optional().describe("Return only entries with a line assigned to this owner."),
      status: csvEnum(statuses).optional().describe("Return only entries with these statuses, repeated or comma-separated."),
      source: csvEnum(entrySources).optional().describe("Return only entries of these origins, repeated or comma-separated."),
      occurredAfter: PlainDate.optional().describe("Return only entries of this date or later, in the organization's time zone."),
      occurredBefore: PlainDate.optional().describe("Return only entries of this date or earlier, in the organization's time zone."),
      search: Search.optional().describe("Return only entries whose memo contains this text, ignoring case."),
      minCents: queryInteger(0).optional().describe("Return only entries with a debit total of at least this many cents."),
      maxCents: queryInteger(0).optional().describe("Return only entries with a debit total of at most this many cents."),
      updatedAfter: Instant.optional().describe("Return only entries changed after this time, for incremental synchronization."),
      includeDeleted: QueryBoolean.optional().describe(
        "Also return deleted drafts. Admins and managers only; other roles receive 403 `scope_forbidden`. Default: `false`.",
      ),
      sortBy: z
        .enum(["occurredAt", "createdAt", "debitTotalCents"])
        .default("occurredAt")
        .describe("Field to sort by. Entries with equal values are sorted by ID."),
      sortDirection: z.enum(["asc", "desc"]).default("desc").describe("Sort direction: `asc` is ascending, `desc` is descending."),
      page: Page.optional().describe("Number of the page to return, starting at 1. Default: 1 when `pageSize` is sent."),
      pageSize: PageSize.optional().describe("Maximum number of entries on a page. Default: 20 when `page` is sent."),
    }),
    response: {
      journalEntries: z.array(JournalEntry).describe("Journal entries in the requested order."),
      ...z.strictObject(paging).partial().shape,
    },
  },
  createJournalEntry: {
    method: "POST",
    path: "/api/accounting/journal-entries",
    summary: "create journal entries",
    access: adminsAndManagers,
    description:
      "The debits and credits of a posted entry must be equal. A draft may be unbalanced until it is posted. With the policy `trustOverdraft` `block`, an entry that takes more from a trust account than the property of the line, or without one the management company, has there, or for which one owner of a property would use money of the other owners, is refused with 409 `insufficient_trust_funds`. A line on a trust account that names an owner of a property takes or brings the money of that owner alone, and lines that name no owner are its other side. An entry that gives other owners of a property more than an owner has, as between the income of two owners, is refused as well. An entry that pays a cost or distribution of the company with money of a property, or with money that another entry has moved from one, which the company has not earned, is refused in the same way, and so is an entry, or the reversal of one, that takes back from the company what it has earned from a property and has already transferred or spent. An entry that moves money from a trust account to a business account, which the management company has not earned, is refused with 409 `would_overdraw_ledger` under every policy.",
    headers: PeriodOverride,
    body: body({
      ...EntryTerms,
      status: z.enum(["draft", "posted"]).default("posted").describe("Initial status: `posted` affects balances at once, a `draft` when it is posted."),
    }),
    response: { journalEntry: JournalEntry, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
  getJournalEntry: {
    method: "GET",
    path: "/api/accounting/journal-entries/{id}",
    summary: "read a journal entry",
    access: officeRoles,
    response: { journalEntry: JournalEntry },
  },
  updateJournalEntry: {
    method: "PATCH",
    path: "/api/accounting/journal-entries/{id}",
    summary: "change draft journal entries",
    access: adminsAndManagers,
    description:
      "Changes the members of a draft that are sent; `lines` replaces all lines. A posted entry is immutable (409): reverse it and create a new one.",
    body: body(EntryTerms).partial(),
    response: { journalEntry: JournalEntry },
    errors: [409],
  },
  deleteJournalEntry: {
    method: "DELETE",
    path: "/api/accounting/journal-entries/{id}",
    summary: "delete draft journal entries",
    access: adminsAndManagers,
    description: "Deletes a draft, which had no effect on balances. A posted entry is never deleted (409): reverse it instead.",
    response: { journalEntry: JournalEntry.describe("Deleted draft, with `deletedAt` set.") },
    errors: [409],
  },
  postJournalEntry: {
    method: "POST",
    path: "/api/accounting/journal-entries/{id}/post",
    summary: "post journal entries",
    access: adminsAndManagers,
    description: "Posts a draft. Its debits and credits must be equal.",
    headers: PeriodOverride,
    body: body({
      occurredAt: Instant.optional().describe("Time at which the transaction occurred. Default: `occurredAt` of the draft."),
    }),
    response: { journalEntry: JournalEntry, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
  reverseJournalEntry: {
    method: "POST",
    path: "/api/accounting/journal-entries/{id}/reverse",
    summary: "reverse journal entries",
    access: adminsAndManagers,
    description:
      "Posts a reversing entry with debits and credits exchanged; both entries reference each other. Manual entries and the bank's fee for a returned payment (`bank_fee`) are reversed here; other entries only by the operation that voids or reverses their charge, credit, payment, refund or deposit (409 `resource_in_use`). An entry that a finalized reconciliation has cleared at a bank is not reversed (409 `reconciled_transaction`).",
    body: body({
      occurredAt: Instant.optional().describe(
        "Time of the reversal, which dates the reversing entry; not before the day of the entry. Default: now, or the time of an entry that is dated later.",
      ),
      memo: text(1, 500).optional().describe("Memo of the reversing entry. Default: `Reversal:` followed by the memo of the reversed entry."),
    }),
    response: {
      journalEntry: JournalEntry.describe("Entry that was reversed."),
      reversal: JournalEntry.describe("Reversing entry."),
      ...trustWarnings,
    },
    errors: [409],
    idempotent: true,
  },
});
