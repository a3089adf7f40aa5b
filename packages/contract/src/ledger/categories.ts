import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Id } from "../values.ts";

export const accountTypes = ["asset", "liability", "equity", "income", "expense"] as const;

export const Category = z
  .strictObject({
    id: Id.describe("ID of the account, used as `categoryId` of charges and as `accountId` of journal lines."),
    code: z.string().describe("Code of the account, such as `4000`, unique within the chart."),
    name: z.string().describe("Name of the account, such as `Rent`."),
    accountType: z.enum(accountTypes).describe("Type of the account."),
    normalBalance: z.enum(["debit", "credit"]).describe("Side on which the account increases: `debit` for assets and expenses, `credit` for all other types."),
    subtype: z.string().describe("Subtype of the account, such as `bank`, `receivable`, `payable` or `deposit`."),
    parentId: Id.nullable().describe("ID of the parent account. Null for a top-level account."),
    isBank: z.boolean().describe("Indicates a bank account."),
    isTrustLiability: z.boolean().describe("Indicates money held in trust for others: security deposits, prepaid rent and owner balances."),
    isActive: z.boolean().describe("Indicates that the account may be used in new entries."),
    isSystem: z.literal(true).describe("Indicates that the account is managed by the system, always `true`."),
  })
  .meta({ id: "Category", description: "Account in the chart of accounts. The chart is the same for every organization and managed by the system." });

const refused = {
  access: officeRoles,
  description: "Always returns 405 `system_managed`: the chart of accounts is managed by the system.",
  response: {},
  errors: [405],
  alwaysFails: 405,
} as const;

export const categories = operationGroup("Accounting", "ledger", {
  listCategories: {
    method: "GET",
    path: "/api/accounting/categories",
    summary: "read the chart of accounts",
    access: officeRoles,
    response: { categories: z.array(Category).describe("Accounts of the chart, by code.") },
  },
  createCategory: { method: "POST", path: "/api/accounting/categories", summary: "add categories (always refused)", ...refused },
  replaceCategory: { method: "PUT", path: "/api/accounting/categories/{id}", summary: "replace categories (always refused)", ...refused },
  updateCategory: { method: "PATCH", path: "/api/accounting/categories/{id}", summary: "change categories (always refused)", ...refused },
  deleteCategory: { method: "DELETE", path: "/api/accounting/categories/{id}", summary: "delete categories (always refused)", ...refused },
});
