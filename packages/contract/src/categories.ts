import { z } from "zod";
import { area } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { Id } from "./values.ts";

export const accountTypes = ["asset", "liability", "equity", "income", "expense"] as const;

export const Category = z
  .strictObject({
    id: Id,
    code: z.string(),
    name: z.string(),
    accountType: z.enum(accountTypes),
    normalBalance: z.enum(["debit", "credit"]),
    subtype: z.string(),
    parentId: Id.nullable(),
    isBank: z.boolean(),
    isTrustLiability: z.boolean(),
    isActive: z.boolean(),
    isSystem: z.literal(true),
  })
  .meta({ id: "Category", description: "An account of the chart. The chart is the system's: every organization has it from its first second." });

const refused = { access: managers, returns: {}, fails: [405], always: 405 } as const;

export const categories = area("Accounting", "ledger", {
  listCategories: {
    method: "GET",
    path: "/api/accounting/categories",
    summary: "read the chart of accounts",
    access: office,
    returns: { categories: z.array(Category) },
  },
  createCategory: { method: "POST", path: "/api/accounting/categories", summary: "add categories (never: they are system-managed)", ...refused },
  replaceCategory: { method: "PUT", path: "/api/accounting/categories/{id}", summary: "replace categories (never: they are system-managed)", ...refused },
  updateCategory: { method: "PATCH", path: "/api/accounting/categories/{id}", summary: "change categories (never: they are system-managed)", ...refused },
  deleteCategory: { method: "DELETE", path: "/api/accounting/categories/{id}", summary: "delete categories (never: they are system-managed)", ...refused },
});
