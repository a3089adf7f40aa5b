import { z } from "zod";
import { accountTypes } from "./categories.ts";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { anyOf, Cents, Id, Instant, NonNegativeCents, Page, PageSize, paging, PlainDate, Search, text, whole } from "./values.ts";

const statuses = ["draft", "posted", "reversed"] as const;
export const entrySources = ["manual", "charge", "payment", "allocation", "reversal"] as const;
const Basis = z.enum(["accrual", "cash"]);

export const JournalLine = z
  .strictObject({
    id: Id,
    accountId: Id,
    accountCode: z.string().nullable(),
    accountName: z.string().nullable(),
    debitCents: NonNegativeCents,
    creditCents: NonNegativeCents,
    propertyId: Id.nullable(),
    unitId: Id.nullable(),
    ownerId: Id.nullable(),
    description: z.string().nullable(),
  })
  .meta({ id: "JournalLine" });

export const JournalEntry = z
  .strictObject({
    id: Id,
    organizationId: Id,
    memo: z.string(),
    occurredAt: Instant,
    status: z.enum(statuses),
    source: z.enum(entrySources),
    debitTotalCents: NonNegativeCents,
    creditTotalCents: NonNegativeCents,
    reversedById: Id.nullable(),
    reversesId: Id.nullable(),
    createdByUserId: Id.nullable().meta({ description: "Null for what the system posted by itself." }),
    createdAt: Instant,
    lines: z.array(JournalLine),
  })
  .meta({ id: "JournalEntry", description: "Debits equal credits in every posted entry. A posted entry never changes; it is corrected by its reversal." });
export type JournalEntry = z.output<typeof JournalEntry>;

const Line = body({
  accountId: Id,
  debitCents: NonNegativeCents.optional(),
  creditCents: NonNegativeCents.optional(),
  description: z.string().max(500).nullable().optional(),
  ownerId: Id.nullable().optional(),
  propertyId: Id.nullable().optional(),
  unitId: Id.nullable().optional(),
}).refine((line) => (line.debitCents ?? 0) > 0 !== (line.creditCents ?? 0) > 0, {
  path: ["debitCents"],
  params: { code: "not_allowed" },
  message: "A line has either debitCents or creditCents, above zero.",
});

const TrialBalanceRow = z.strictObject({
  accountId: Id,
  accountCode: z.string(),
  accountName: z.string(),
  accountType: z.enum(accountTypes),
  openingCents: Cents,
  debitCents: NonNegativeCents,
  creditCents: NonNegativeCents,
  closingCents: Cents,
});

export const journalEntries = area("Accounting", "ledger", {
  listJournalEntries: {
    method: "GET",
    path: "/api/accounting/journal-entries",
    summary: "list journal entries",
    access: office,
    description: "Unpaged unless `page` or `pageSize` is sent; above 10 000 rows paging is required (`page_required`).",
    query: z.strictObject({
      accountId: Id.optional(),
      propertyId: Id.optional(),
      unitId: Id.optional(),
      ownerId: Id.optional(),
      status: anyOf(statuses).optional(),
      source: anyOf(entrySources).optional(),
      occurredAfter: PlainDate.optional(),
      occurredBefore: PlainDate.optional(),
      search: Search.optional(),
      minCents: whole(0).optional(),
      maxCents: whole(0).optional(),
      updatedAfter: Instant.optional(),
      sortBy: z.enum(["occurredAt", "createdAt", "debitTotalCents"]).default("occurredAt"),
      sortDirection: z.enum(["asc", "desc"]).default("desc"),
      page: Page.optional(),
      pageSize: PageSize.optional(),
    }),
    returns: { journalEntries: z.array(JournalEntry), ...z.strictObject(paging).partial().shape },
  },
  createJournalEntry: {
    method: "POST",
    path: "/api/accounting/journal-entries",
    summary: "write journal entries",
    access: managers,
    description: "`posted` (the default) must balance; a `draft` need not yet.",
    body: body({ lines: z.array(Line).min(2).max(500), memo: text(1, 500), occurredAt: Instant, status: z.enum(["draft", "posted"]).default("posted") }),
    returns: { journalEntry: JournalEntry },
    fails: [409],
    idempotent: true,
  },
  getJournalEntry: {
    method: "GET",
    path: "/api/accounting/journal-entries/{id}",
    summary: "read a journal entry",
    access: office,
    returns: { journalEntry: JournalEntry },
  },
  postJournalEntry: {
    method: "POST",
    path: "/api/accounting/journal-entries/{id}/post",
    summary: "post journal entries",
    access: managers,
    body: body({ occurredAt: Instant.optional() }),
    returns: { journalEntry: JournalEntry },
    fails: [409],
    idempotent: true,
  },
  reverseJournalEntry: {
    method: "POST",
    path: "/api/accounting/journal-entries/{id}/reverse",
    summary: "reverse journal entries",
    access: managers,
    description:
      "Posts the exact opposite, linked both ways. What a charge or a payment posted is reversed only by voiding the charge or reversing the payment.",
    body: body({ occurredAt: Instant.optional(), memo: text(1, 500).optional() }),
    returns: { journalEntry: JournalEntry, reversal: JournalEntry },
    fails: [409],
    idempotent: true,
  },
  getTrialBalance: {
    method: "GET",
    path: "/api/accounting/trial-balance",
    summary: "read the trial balance",
    access: office,
    description:
      "Opening and closing are signed, debit positive, for every account type, so each column sums to zero; debit and credit are the movements of the span. `asOf` is the span up to that day.",
    query: z.strictObject({
      asOf: PlainDate.optional(),
      from: PlainDate.optional(),
      to: PlainDate.optional(),
      basis: Basis.default("accrual"),
      propertyId: Id.optional(),
      ownerId: Id.optional(),
    }),
    returns: {
      trialBalance: z
        .strictObject({
          asOf: PlainDate,
          basis: Basis,
          rows: z.array(TrialBalanceRow),
          debitTotalCents: NonNegativeCents,
          creditTotalCents: NonNegativeCents,
          isBalanced: z.boolean(),
        })
        .meta({ id: "TrialBalance" }),
    },
  },
  listCategoryRollups: {
    method: "GET",
    path: "/api/accounting/category-rollups",
    summary: "list category rollups",
    access: office,
    deprecated: { since: "2026-11-01", sunset: "2027-11-01", successor: "/api/accounting/trial-balance" },
    query: z
      .strictObject({ startDate: PlainDate, endDate: PlainDate, basis: Basis.optional(), propertyId: Id.optional(), unitId: Id.optional() })
      .refine((span) => span.endDate >= span.startDate, {
        path: ["endDate"],
        params: { code: "before_start" },
        message: "endDate cannot be before startDate.",
      }),
    returns: { rollups: z.array(z.strictObject({ categoryCode: z.string(), transactionCount: z.int().min(0), netAmountCents: Cents })) },
  },
});
