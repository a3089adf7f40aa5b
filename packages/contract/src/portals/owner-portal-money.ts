/** Money of owners in their portal: ledger, balance, statements, distributions and reports. */
import { z } from "zod";
import { Basis, BASIS_DESCRIPTION } from "../ledger/accounting-reports.ts";
import { operationGroup } from "../operation.ts";
import { OwnerPayable } from "../trust/owner-payables.ts";
import { OwnerBalance, OwnerLedgerEntry, ownerLedgers } from "../trust/owner-ledgers.ts";
import { ownerStatements } from "../trust/owner-statements.ts";
import { Cents, csvEnum, Id, listQuery, NonNegativeCents, page, Page, PageSize, PlainDate } from "../values.ts";

const owner = ["owner"] as const;
export const distributionStatuses = ["paid", "voided"] as const;

const propertyId = Id.optional().describe("Only this property of the owner; a property that the owner never owned returns 404. Default: all of them.");
const WEIGHTED =
  "Amounts are the owner's parts by the share on each day, as in `GET /api/owners/{id}/ledger`; what names another owner is not part of them. Only posted entries count.";
const basis = Basis.default("cash").describe(BASIS_DESCRIPTION);
const period = {
  propertyId,
  from: PlainDate.describe("First date of the period."),
  to: PlainDate.describe("Last date of the period, not before `from`."),
  basis,
};

/** Entry of the owner's ledger without the ids of the chart of accounts. */
export const PortalOwnerLedgerEntry = OwnerLedgerEntry.omit({ accountId: true }).meta({
  id: "PortalOwnerLedgerEntry",
  description: "Income, expense, contribution or distribution of the owner at a property, with the balance after it.",
});

/** Payout as shown to the owner who received it, without the bank account and the calculation. */
export const OwnerDistribution = OwnerPayable.pick({
  id: true,
  organizationId: true,
  propertyId: true,
  periodStart: true,
  periodEnd: true,
  amountCents: true,
  method: true,
  referenceNumber: true,
  voidedAt: true,
  createdAt: true,
  updatedAt: true,
})
  .extend({
    propertyName: z.string().nullable().describe("Name of the property, or null when the property is not known here yet."),
    status: z.enum(distributionStatuses).describe("Status of the distribution: `paid`, or `voided` when its money was taken back."),
    paidAt: OwnerPayable.shape.createdAt.describe("Time of the payment."),
  })
  .meta({ id: "OwnerDistribution", description: "A payout that the owner received." });
export type OwnerDistribution = z.output<typeof OwnerDistribution>;

const parts = {
  cashCents: Cents.describe(
    "Part of the owner, in cents, of the money of the property in the trust accounts: the balance of the owner's ledger, and a part by share of what belongs to no owner, such as the money of tenants.",
  ),
  securityDepositsCents: Cents.describe("Part of `cashCents` that is held for security deposits of tenants."),
  prepaidRentCents: Cents.describe("Part of `cashCents` that tenants have prepaid."),
  unpaidExpensesCents: NonNegativeCents.describe(
    "Unpaid expenses in cents that the owner bears: by share on the day on which each was incurred, and in full those that name the owner alone.",
  ),
  pendingCents: NonNegativeCents.describe(
    "Part by share, in cents, of payments that the bank can still return because they are pending, and of what withdrawals that are dated ahead will take.",
  ),
  heldEstimatesCents: NonNegativeCents.describe(
    "Part by share, in cents, of approved estimates of work orders, less the expenses recorded for them; none when the work order is completed and billed.",
  ),
  managementFeesCents: NonNegativeCents.describe("Part of the owner, in cents, in the management fees of all days up to the day that no run has charged yet."),
  reserveCents: NonNegativeCents.describe("Part by share, in cents, of the reserve agreed for the property, which is not paid out."),
  additionalReserveCents: NonNegativeCents.describe("Part by share, in cents, of the additional reserve of the property, which is not paid out, either."),
  availableToPayCents: OwnerBalance.shape.availableToPayCents,
};
const balanceOfProperty = OwnerBalance.shape.byProperty.element.shape;

/** Balance of an owner as shown to the owner: of each figure, the part of the owner. */
export const PortalOwnerBalance = OwnerBalance.extend({
  ...parts,
  byProperty: z
    .array(z.strictObject({ ...balanceOfProperty, ...parts }))
    .describe("Properties of which the owner has a share on the day, or of which money is still due to the owner, by name."),
}).meta({
  id: "PortalOwnerBalance",
  description:
    "Part of the owner in the money of the properties, and what of it can be paid to the owner. What is in the ledgers of the owners is divided as there, by the shares on each day; other figures by the shares on the day in whole cents, the cents left over belong to the largest share. Sums are over the properties.",
});
export type PortalOwnerBalance = z.output<typeof PortalOwnerBalance>;

const statementFigures = {
  incomeCents: Cents.describe("Income of the owner in cents."),
  expenseCents: Cents.describe("Expenses of the owner in cents, management fees included."),
  netIncomeCents: Cents.describe("Income less expenses in cents."),
};

export const OwnerIncomeStatement = z
  .strictObject({
    from: PlainDate.describe("First date of the period."),
    to: PlainDate.describe("Last date of the period."),
    basis: Basis.describe(BASIS_DESCRIPTION),
    ...statementFigures,
    properties: z
      .array(
        z.strictObject({
          propertyId: Id.describe("ID of the property."),
          propertyName: z.string().describe("Name of the property."),
          ...statementFigures,
          rows: z
            .array(
              z.strictObject({
                accountCode: z.string().describe("Code of the account, such as `4000`."),
                accountName: z.string().describe("Name of the account, such as `Rent`."),
                accountType: z.enum(["income", "expense"]).describe("Type of the account."),
                amountCents: Cents.describe("Part of the owner in cents; negative when more was taken back than booked."),
              }),
            )
            .describe("Accounts with an amount, by code."),
        }),
      )
      .describe("Properties with income or expenses in the period, by name."),
  })
  .meta({ id: "OwnerIncomeStatement", description: "Income and expenses of an owner in a period, by property and account." });
export type OwnerIncomeStatement = z.output<typeof OwnerIncomeStatement>;

export const OwnerExpense = z
  .strictObject({
    journalEntryId: Id.describe("ID of the journal entry."),
    date: PlainDate.describe("Date of the journal entry: on the cash basis that of the payment."),
    propertyId: Id.describe("ID of the property."),
    propertyName: z.string().describe("Name of the property."),
    accountCode: z.string().describe("Code of the expense account."),
    accountName: z.string().describe("Name of the expense account."),
    description: z.string().describe("Purpose of the expense."),
    shareBps: z.int().nullable().describe("Share of the owner in basis points. Null for an amount that concerns the owner alone."),
    totalCents: Cents.describe("Amount at the property in cents, for all its owners; negative when an expense was taken back."),
    amountCents: Cents.describe("Part of the owner in cents."),
  })
  .meta({ id: "OwnerExpense", description: "Expense of a property as the owner bears it." });
export type OwnerExpense = z.output<typeof OwnerExpense>;

const { getOwnerBalance, listOwnerLedger } = ownerLedgers.operations;
const { downloadOwnerStatement, listOwnerStatements } = ownerStatements.operations;

export const ownerPortalMoney = operationGroup("Portal", "ledger", {
  listOwnerPortalLedger: {
    method: "GET",
    path: "/api/portal/owner/ledger",
    summary: "read their own owner ledger",
    access: owner,
    description: WEIGHTED,
    query: listOwnerLedger.query.omit({ ledgerVersion: true, includeDeleted: true }).extend({ propertyId }),
    response: {
      ...page("entries", PortalOwnerLedgerEntry),
      openingBalanceCents: listOwnerLedger.response.openingBalanceCents,
      closingBalanceCents: listOwnerLedger.response.closingBalanceCents,
    },
    errors: [404],
  },
  getOwnerPortalBalance: {
    method: "GET",
    path: "/api/portal/owner/balance",
    summary: "read their own owner balance",
    access: owner,
    description: `Each figure of what is available to pay. ${WEIGHTED}`,
    query: getOwnerBalance.query,
    response: { balance: PortalOwnerBalance },
    errors: [404],
  },
  listOwnerPortalStatements: {
    method: "GET",
    path: "/api/portal/owner/statements",
    summary: "list their own owner statements",
    access: owner,
    description: "Statements that the office has generated for the owner, without the entries of their properties.",
    query: listOwnerStatements.query.omit({ includeDeleted: true }),
    response: listOwnerStatements.response,
  },
  downloadOwnerPortalStatement: {
    method: "GET",
    path: "/api/portal/owner/statements/{id}/download",
    summary: "download their own owner statements",
    access: owner,
    query: downloadOwnerStatement.query,
    response: downloadOwnerStatement.response,
    fileContentTypes: ["application/pdf", "text/csv"],
    isFileByDefault: true,
  },
  listOwnerPortalDistributions: {
    method: "GET",
    path: "/api/portal/owner/distributions",
    summary: "list the payouts to them",
    access: owner,
    description: "Payouts that were paid to the owner, also those that were voided afterwards. Drafts and approved payouts are omitted.",
    query: listQuery(["paidAt", "periodEnd", "amountCents", "createdAt"], {
      propertyId: Id.optional().describe("Return only payouts of the money of this property."),
      status: csvEnum(distributionStatuses).optional().describe("Return only payouts with these statuses, repeated or comma-separated."),
      periodAfter: PlainDate.optional().describe("Return only payouts of periods that end on or after this date."),
      periodBefore: PlainDate.optional().describe("Return only payouts of periods that end on or before this date."),
    }).omit({ includeDeleted: true }),
    response: page("distributions", OwnerDistribution),
  },
  getOwnerPortalIncomeStatement: {
    method: "GET",
    path: "/api/portal/owner/reports/income-statement",
    summary: "read their own income statement",
    access: owner,
    description: WEIGHTED,
    query: z
      .strictObject(period)
      .refine(({ from, to }) => from <= to, { path: ["to"], params: { code: "before_start" }, message: "to cannot be before from." }),
    response: { report: OwnerIncomeStatement },
    errors: [404],
  },
  listOwnerPortalExpenses: {
    method: "GET",
    path: "/api/portal/owner/reports/expenses",
    summary: "list the expenses of their own properties",
    access: owner,
    description: `Expenses of the period by date. ${WEIGHTED}`,
    query: z
      .strictObject({
        ...period,
        page: Page.default(1).describe("Number of the page to return, starting at 1."),
        pageSize: PageSize.default(20).describe("Maximum number of expenses on a page."),
      })
      .refine(({ from, to }) => from <= to, { path: ["to"], params: { code: "before_start" }, message: "to cannot be before from." }),
    response: { ...page("expenses", OwnerExpense), totalAmountCents: Cents.describe("Sum of the owner's parts in cents over all pages.") },
    errors: [404],
  },
});
