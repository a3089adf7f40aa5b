import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";
import type { Account } from "./chart.ts";

const CategorySchema = defineEntity({
  name: "Category",
  tableName: "category",
  ...inOrganization,
  uniques: [{ properties: ["organizationId", "code"], name: "category_code_once" }],
  properties: {
    ...orgColumns,
    code: p.text(),
    name: p.text(),
    accountType: p.text().$type<Account["accountType"]>(),
    normalBalance: p.text().$type<"debit" | "credit">(),
    subtype: p.text(),
    isBank: p.boolean(),
    isTrustLiability: p.boolean(),
  },
});
/** An account of an organization's chart. The rows are the system's; nobody changes them. */
export class Category extends CategorySchema.class {}
CategorySchema.setClass(Category);
