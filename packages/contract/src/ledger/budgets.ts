/** Budgets of properties and of the whole portfolio, and their comparison with the ledger. */
import { z } from "zod";
import { Basis, BASIS_DESCRIPTION } from "./accounting-reports.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, csvEnum, Id, Instant, listQuery, page, PlainDate, queryInteger, Search, text } from "../values.ts";

export const budgetStatuses = ["draft", "active", "archived"] as const;

const FIRST_YEAR = 1901;
const LAST_YEAR = 2199;
const MONTHS = 12;

const FiscalYear = z.int().min(FIRST_YEAR).max(LAST_YEAR);
/** Calendar month as `YYYY-MM`. */
const Month = z.string().regex(/^(19|2[01])\d{2}-(0[1-9]|1[0-2])$/);
/** Change of amounts in basis points, from -100 % to 1000 %. */
const AdjustBps = z.int().min(-10_000).max(100_000).default(0);
const ADJUST_BPS_DESCRIPTION =
  "Change of each amount in basis points: 300 raises the amounts by 3 %, -500 lowers them by 5 %. Each amount is rounded to the cent, half a cent away from zero. Default: 0.";

const line = {
  categoryId: Id.describe("ID of the income or expense account."),
  amountsCents: z
    .array(Cents)
    .length(MONTHS)
    .describe(
      "Budgeted amounts in cents of the twelve months of the year, the first month first: income earned and expenses incurred are positive, amounts that reduce them, such as concessions, negative.",
    ),
  note: text(1, 500).nullable().describe("Note on the line, such as the assumption behind its amounts, or null."),
};

export const BudgetLine = z
  .strictObject({ id: Id.describe("ID of the line, new whenever the lines are replaced."), ...line })
  .meta({ id: "BudgetLine", description: "Twelve monthly amounts of an account in a budget." });
export type BudgetLine = z.output<typeof BudgetLine>;

const RequestedLine = body({ ...line, note: line.note.default(null) });

const terms = {
  propertyId: Id.nullable().describe(
    "ID of the property of the budget. Null for a budget of the whole portfolio: all properties, and what belongs to no property.",
  ),
  name: text(1, 120).describe("Name of the budget."),
  fiscalYear: FiscalYear.describe(
    "Fiscal year of the budget, named after the calendar year in which the fiscal year ends: 2027 starts in January 2027 with `startMonth` 1, and in July 2026 with `startMonth` 7.",
  ),
  startMonth: z.int().min(1).max(12).describe("Month in which the fiscal year starts, 1 (January) to 12."),
  basis: Basis.describe(`${BASIS_DESCRIPTION} The budget is compared with actual amounts on this basis.`),
};

export const Budget = z
  .strictObject({
    id: Id.describe("ID of the budget."),
    organizationId: Id.describe("ID of the organization the budget belongs to."),
    ...terms,
    startDate: PlainDate.describe("First day of the fiscal year."),
    endDate: PlainDate.describe("Last day of the fiscal year."),
    status: z
      .enum(budgetStatuses)
      .describe(
        "Status of the budget. A property, and the portfolio, has at most one `active` budget for a fiscal year. An `archived` budget is kept unchanged for reference.",
      ),
    lines: z.array(BudgetLine).describe("Lines of the budget, at most one for each account."),
    totalIncomeCents: Cents.describe("Sum of the lines of income accounts in cents."),
    totalExpenseCents: Cents.describe("Sum of the lines of expense accounts in cents."),
    createdAt: Instant.describe("Time at which the budget was created."),
    updatedAt: Instant.describe("Time at which the budget was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the budget was deleted; null unless deleted."),
  })
  .meta({ id: "Budget", description: "Planned income and expenses of a property, or of the portfolio, in the twelve months of a fiscal year." });
export type Budget = z.output<typeof Budget>;

const comparison = {
  budgetCents: Cents.describe("Budgeted amount in cents."),
  actualCents: Cents.describe("Actual amount in cents: the movements of the ledger, positive in the direction of the normal balance."),
  varianceCents: Cents.describe(
    "Actual minus budgeted amount in cents. A positive variance is favorable for income and for the net result, and unfavorable for an expense.",
  ),
};
const comparisonWithShare = {
  ...comparison,
  varianceBps: z.int().nullable().describe("Variance in basis points of the budgeted amount, with the sign of the variance. Null when nothing is budgeted."),
};

const BudgetComparison = z
  .strictObject(comparisonWithShare)
  .meta({ id: "BudgetComparison", description: "Budgeted and actual amount of the compared months, and their difference." });

const BudgetVarianceRow = z
  .strictObject({
    categoryId: Id.describe("ID of the account."),
    code: z.string().describe("Code of the account, such as `4000`."),
    name: z.string().describe("Name of the account, such as `Rent`."),
    accountType: z.enum(["income", "expense"]).describe("Type of the account."),
    ...comparisonWithShare,
    byMonth: z
      .array(
        z
          .strictObject({ month: Month.describe("Month as `YYYY-MM`."), ...comparison })
          .meta({ id: "BudgetVarianceMonth", description: "Budgeted and actual amount of an account in a month, and their difference." }),
      )
      .describe("Compared months, the first month of the fiscal year first."),
  })
  .meta({ id: "BudgetVarianceRow", description: "Comparison of an account's budgeted and actual amounts." });

export const BudgetVariance = z
  .strictObject({
    budgetId: Id.describe("ID of the budget."),
    basis: Basis.describe(`${BASIS_DESCRIPTION} Basis of the actual amounts.`),
    startDate: PlainDate.describe("First day of the compared months: that of the fiscal year."),
    through: Month.describe("Last compared month, as `YYYY-MM`."),
    rows: z.array(BudgetVarianceRow).describe("One row for each account with a line in the budget or with actual amounts, by code."),
    totals: z
      .strictObject({
        income: BudgetComparison.describe("Sums of the income accounts."),
        expense: BudgetComparison.describe("Sums of the expense accounts."),
        net: BudgetComparison.describe("Income minus expenses."),
      })
      .describe("Totals of the compared months."),
  })
  .meta({ id: "BudgetVariance", description: "Comparison of a budget with the ledger." });
export type BudgetVariance = z.output<typeof BudgetVariance>;

const budgetResponse = { budget: Budget };
const Lines = z
  .array(RequestedLine)
  .max(200)
  .describe("Lines of the budget, at most one for each account (400 `unique`), on income and expense accounts only (400 `not_allowed`).");
const OTHER_ACTIVE_BUDGET = "409 `duplicate` when the property, or the portfolio, has another active budget for the fiscal year";

export const budgets = operationGroup("Budgets", "ledger", {
  listBudgets: {
    method: "GET",
    path: "/api/budgets",
    summary: "list budgets",
    access: officeRoles,
    query: listQuery(["fiscalYear", "name", "createdAt", "updatedAt"], {
      search: Search.optional().describe("Return only budgets whose name contains this text, ignoring case."),
      propertyId: Id.optional().describe("Return only budgets of this property."),
      fiscalYear: queryInteger(FIRST_YEAR, LAST_YEAR).optional().describe("Return only budgets of this fiscal year."),
      status: csvEnum(budgetStatuses).optional().describe("Return only budgets with these statuses, repeated or comma-separated."),
    }),
    response: page("budgets", Budget),
  },
  createBudget: {
    method: "POST",
    path: "/api/budgets",
    summary: "create budgets",
    access: adminsAndManagers,
    description: "Creates a draft. Budgeted amounts are compared with the ledger and never change it.",
    body: body({
      ...terms,
      propertyId: terms.propertyId.default(null),
      startMonth: terms.startMonth
        .optional()
        .describe("Month in which the fiscal year starts, 1 (January) to 12. Default: `fiscalYearStartMonth` of the organization."),
      basis: terms.basis
        .optional()
        .describe("Accounting basis of the actual amounts that the budget is compared with. Default: `defaultBasis` of the organization."),
      lines: Lines.default([]),
    }),
    response: budgetResponse,
    idempotent: true,
  },
  getBudget: { method: "GET", path: "/api/budgets/{id}", summary: "read a budget", access: officeRoles, response: budgetResponse },
  updateBudget: {
    method: "PATCH",
    path: "/api/budgets/{id}",
    summary: "change budgets",
    access: adminsAndManagers,
    description: `Changes the members that are sent; \`lines\` replaces all lines. Drafts and active budgets can be changed, archived ones cannot (409 \`invalid_transition\`). ${OTHER_ACTIVE_BUDGET}.`,
    body: body({ ...terms, lines: Lines }).partial(),
    response: budgetResponse,
    errors: [409],
  },
  deleteBudget: {
    method: "DELETE",
    path: "/api/budgets/{id}",
    summary: "delete budgets",
    access: adminsAndManagers,
    description: "Soft-deletes a budget of any status; lists then return it only with `includeDeleted`. Archive a budget to keep it for reference.",
    response: { budget: Budget.describe("Deleted budget, with `deletedAt` set.") },
  },
  activateBudget: {
    method: "POST",
    path: "/api/budgets/{id}/activate",
    summary: "activate budgets",
    access: adminsAndManagers,
    description: `Makes a draft the budget of its property and fiscal year. ${OTHER_ACTIVE_BUDGET}: archive that one first.`,
    response: budgetResponse,
    errors: [409],
    idempotent: true,
  },
  archiveBudget: {
    method: "POST",
    path: "/api/budgets/{id}/archive",
    summary: "archive budgets",
    access: adminsAndManagers,
    description: "Archives a draft or an active budget. An archived budget stays archived; copy it to use it again.",
    response: budgetResponse,
    errors: [409],
    idempotent: true,
  },
  copyBudget: {
    method: "POST",
    path: "/api/budgets/{id}/copy",
    summary: "copy budgets",
    access: adminsAndManagers,
    description: "Creates a draft of a fiscal year with the property, name, start month, basis and lines of a budget of any status.",
    body: body({
      fiscalYear: FiscalYear.describe("Fiscal year of the copy, also that of the copied budget."),
      adjustBps: AdjustBps.describe(ADJUST_BPS_DESCRIPTION),
    }),
    response: { budget: Budget.describe("Created draft.") },
    idempotent: true,
  },
  fillBudgetFromActuals: {
    method: "POST",
    path: "/api/budgets/{id}/from-actuals",
    summary: "fill budgets from actual amounts",
    access: adminsAndManagers,
    description:
      "Replaces the lines, and their notes, by the actual monthly amounts of another fiscal year: one line for each income and expense account with amounts. Months without entries, also future ones, are 0. Drafts and active budgets can be changed, archived ones cannot (409 `invalid_transition`).",
    body: body({
      fiscalYear: FiscalYear.optional().describe(
        "Fiscal year of the actual amounts, with the start month of the budget. Default: the year before that of the budget.",
      ),
      adjustBps: AdjustBps.describe(ADJUST_BPS_DESCRIPTION),
      basis: Basis.optional().describe(`${BASIS_DESCRIPTION} Default: the basis of the budget.`),
    }),
    response: budgetResponse,
    errors: [409],
    idempotent: true,
  },
  getBudgetVariance: {
    method: "GET",
    path: "/api/budgets/{id}/variance",
    summary: "compare a budget with the ledger",
    access: officeRoles,
    description:
      "Compares the budget with the actual amounts from the first month of the fiscal year through a month. Actual amounts are the movements of the trial balance for the same days, property and basis, including entries dated later in the last month.",
    query: z.strictObject({
      through: Month.optional().describe(
        "Last compared month of the fiscal year, as `YYYY-MM`. Default: the last month of the fiscal year that has ended, its first month until then.",
      ),
      basis: Basis.optional().describe(`${BASIS_DESCRIPTION} Default: the basis of the budget.`),
    }),
    response: { variance: BudgetVariance },
  },
});
