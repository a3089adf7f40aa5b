/** Reports on the journal: trial balance, general ledger, balances and category rollups. */
import { z } from "zod";
import { accountTypes } from "./categories.ts";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Cents, Id, NonNegativeCents, page, Page, PageSize, paging, PlainDate, queryInteger } from "../values.ts";

export const Basis = z.enum(["accrual", "cash"]);

const TrialBalanceRow = z.strictObject({
  accountId: Id.describe("ID of the account (category)."),
  accountCode: z.string().describe("Code of the account, such as `4000`."),
  accountName: z.string().describe("Name of the account, such as `Rent`."),
  accountType: z.enum(accountTypes).describe("Type of the account."),
  openingCents: Cents.describe("Balance in cents before the first day of the period, debits positive. 0 without a first day."),
  debitCents: NonNegativeCents.describe("Sum of the debits in cents during the period."),
  creditCents: NonNegativeCents.describe("Sum of the credits in cents during the period."),
  closingCents: Cents.describe("Balance in cents at the end of the period, debits positive."),
});

export const BASIS_DESCRIPTION = "Accounting basis: `accrual` recognizes charges when they are due, `cash` when they are paid.";

/** Query parameter of a report that reads an earlier version of the ledger. */
export const requestedVersion = queryInteger(0, Number.MAX_SAFE_INTEGER)
  .optional()
  .describe("Version of the ledger to show, as returned by an earlier report (400 `not_found` for any other). Default: the current version.");

/** Version of the ledger that a report shows. */
export const LedgerVersion = z
  .int()
  .min(0)
  .describe(
    "Version of the ledger that the report shows: the number of journal entries posted in the organization, and of records that merges of tenants moved. Sent back as `ledgerVersion`, it returns the same entries and amounts whatever is posted later. Records that a later merge of tenants moves stay with their tenant. Names of accounts are the current ones.",
  );

const Account = {
  accountId: Id.describe("ID of the account (category)."),
  accountCode: z.string().describe("Code of the account, such as `4000`."),
  accountName: z.string().describe("Name of the account, such as `Rent`."),
};

export const GeneralLedgerEntry = z
  .strictObject({
    id: Id.describe("ID of the journal line."),
    date: PlainDate.describe("Date of the journal entry."),
    journalEntryId: Id.describe("ID of the journal entry that contains the line."),
    memo: z.string().describe("Purpose of the journal entry."),
    description: z.string().nullable().describe("Description of the line, or null."),
    ...Account,
    propertyId: Id.nullable().describe("ID of the property the line is assigned to, or null."),
    unitId: Id.nullable().describe("ID of the unit the line is assigned to, or null."),
    ownerId: Id.nullable().describe("ID of the owner the line is assigned to, or null."),
    leaseId: Id.nullable().describe("ID of the lease the line is assigned to, or null."),
    tenantId: Id.nullable().describe("ID of the tenant the line is assigned to, or null."),
    debitCents: NonNegativeCents.describe("Debit amount in cents; 0 for a credit line."),
    creditCents: NonNegativeCents.describe("Credit amount in cents; 0 for a debit line."),
    balanceCents: Cents.describe("Balance of the account in cents after this line, within the filters, debits positive."),
  })
  .meta({ id: "GeneralLedgerEntry", description: "Posted journal line with the running balance of its account." });

export const AccountBalance = z
  .strictObject({
    ...Account,
    accountType: z.enum(accountTypes).describe("Type of the account."),
    propertyId: Id.nullable().describe("ID of the property when grouped by `property`. Null for lines without a property, and in other groupings."),
    ownerId: Id.nullable().describe("ID of the owner when grouped by `owner`. Null for lines without an owner, and in other groupings."),
    unitId: Id.nullable().describe("ID of the unit when grouped by `unit`. Null for lines without a unit, and in other groupings."),
    balanceCents: Cents.describe("Balance in cents at the end of the day, debits positive."),
  })
  .meta({ id: "AccountBalance", description: "Balance of an account, of all its lines or of one group of them." });

export const accountingReports = operationGroup("Accounting", "ledger", {
  getTrialBalance: {
    method: "GET",
    path: "/api/accounting/trial-balance",
    summary: "read the trial balance",
    access: officeRoles,
    description:
      "Opening and closing balances are signed for all account types, debits positive, so that each column sums to zero. Debits and credits are the movements of the period. Without `from`, the period begins with the first entry.",
    query: z.strictObject({
      asOf: PlainDate.optional().describe("Last day of the period; takes precedence over `to`. Default: today."),
      from: PlainDate.optional().describe("First day of the period. Default: the date of the first entry."),
      to: PlainDate.optional().describe("Last day of the period. Default: today."),
      basis: Basis.default("accrual").describe(BASIS_DESCRIPTION),
      propertyId: Id.optional().describe("Include only lines assigned to this property."),
      ownerId: Id.optional().describe(
        "Include only lines that name this owner, such as contributions and manual entries. Rent and costs of the owner's properties are not included; the owner's ledger has them. The report need not balance.",
      ),
      bankAccountId: Id.optional().describe("Include only the lines of entries that move money of this bank account."),
      ledgerVersion: requestedVersion,
    }),
    response: {
      trialBalance: z
        .strictObject({
          asOf: PlainDate.describe("Last day of the period."),
          basis: Basis.describe(BASIS_DESCRIPTION),
          ledgerVersion: LedgerVersion,
          rows: z.array(TrialBalanceRow).describe("One row for each account of the chart, by code."),
          debitTotalCents: NonNegativeCents.describe("Sum of all debits in cents during the period."),
          creditTotalCents: NonNegativeCents.describe("Sum of all credits in cents during the period."),
          isBalanced: z.boolean().describe("Indicates that debits equal credits and that opening and closing balances sum to zero."),
        })
        .meta({ id: "TrialBalance", description: "Balances and movements of all accounts for a period." }),
    },
  },
  listGeneralLedger: {
    method: "GET",
    path: "/api/accounting/general-ledger",
    summary: "list the general ledger",
    access: officeRoles,
    description:
      "Posted journal lines of a period in the order of their dates, lines of one day in the order of posting, each with the running balance of its account. With `propertyId` or `ownerId` all balances are those of the matching lines.",
    query: z
      .strictObject({
        accountId: Id.optional().describe("Return only lines on this account."),
        propertyId: Id.optional().describe("Return only lines assigned to this property."),
        ownerId: Id.optional().describe("Return only lines assigned to this owner."),
        from: PlainDate.describe("First day of the period."),
        to: PlainDate.describe("Last day of the period."),
        basis: Basis.default("accrual").describe(BASIS_DESCRIPTION),
        ledgerVersion: requestedVersion,
        page: Page.default(1).describe("Number of the page to return, starting at 1."),
        pageSize: PageSize.default(20).describe("Maximum number of lines on a page."),
      })
      .refine((period) => period.to >= period.from, { path: ["to"], params: { code: "before_start" }, message: "to cannot be before from." }),
    response: {
      ...page("entries", GeneralLedgerEntry),
      openingBalanceCents: Cents.describe(
        "Balance in cents of the matching lines before `from`, debits positive; without `accountId` the sum over all accounts.",
      ),
      closingBalanceCents: Cents.describe(
        "Balance in cents of the matching lines at the end of `to`, debits positive; without `accountId` the sum over all accounts.",
      ),
      ledgerVersion: LedgerVersion,
    },
  },
  listAccountBalances: {
    method: "GET",
    path: "/api/accounting/balances",
    summary: "list account balances",
    access: officeRoles,
    description:
      "Balances of all accounts at the end of a day, without balances of zero, ordered by account code. Not paged unless `page` or `pageSize` is sent; the paging members are returned only then. More than 10,000 balances must be paged (400 `page_required`).",
    query: z.strictObject({
      asOf: PlainDate.optional().describe("Last day that is included. Default: today."),
      basis: Basis.default("accrual").describe(BASIS_DESCRIPTION),
      ledgerVersion: requestedVersion,
      groupBy: z
        .enum(["account", "property", "owner", "unit"])
        .default("account")
        .describe("Grouping: one balance for each account, or for each account and property, owner or unit."),
      accountId: Id.optional().describe("Return only balances of this account."),
      page: Page.optional().describe("Number of the page to return, starting at 1. Default: 1 when `pageSize` is sent."),
      pageSize: PageSize.optional().describe("Maximum number of balances on a page. Default: 20 when `page` is sent."),
    }),
    response: {
      balances: z.array(AccountBalance).describe("Balances by account code; balances of one account by the ID of the group, lines without a group last."),
      asOf: PlainDate.describe("Last day that is included."),
      ledgerVersion: LedgerVersion,
      ...z.strictObject(paging).partial().shape,
    },
  },
  listCategoryRollups: {
    method: "GET",
    path: "/api/accounting/category-rollups",
    summary: "list category rollups",
    access: officeRoles,
    description: "Movements of each account between two dates. Deprecated; use the trial balance instead.",
    deprecated: { since: "2026-11-01", sunset: "2027-11-01", successor: "/api/accounting/trial-balance" },
    query: z
      .strictObject({
        startDate: PlainDate.describe("First day of the period."),
        endDate: PlainDate.describe("Last day of the period."),
        basis: Basis.optional().describe(`${BASIS_DESCRIPTION} Default: the organization's \`defaultBasis\`.`),
        propertyId: Id.optional().describe("Include only lines assigned to this property."),
        unitId: Id.optional().describe("Include only lines assigned to this unit."),
      })
      .refine((span) => span.endDate >= span.startDate, {
        path: ["endDate"],
        params: { code: "before_start" },
        message: "endDate cannot be before startDate.",
      }),
    response: {
      rollups: z
        .array(
          z.strictObject({
            categoryCode: z.string().describe("Code of the account, such as `4000`."),
            transactionCount: z.int().min(0).describe("Number of journal entries with a line on the account."),
            netAmountCents: Cents.describe(
              "Net movement in cents, positive in the direction of the account's normal balance: debits for assets and expenses, credits for all other types.",
            ),
          }),
        )
        .describe("One object for each account with movements, by code."),
    },
  },
});
