import { defineEntity, orgColumns, p, inPortalReach } from "@freehold/kit/db/entity";
import type { AccountDefinition } from "./chart.ts";

const CategorySchema = defineEntity({
  name: "Category",
  tableName: "category",
  ...inPortalReach,
  uniques: [{ properties: ["organizationId", "code"], name: "category_code_once" }],
  properties: {
    ...orgColumns,
    code: p.text(),
    name: p.text(),
    accountType: p.text().$type<AccountDefinition["accountType"]>(),
    normalBalance: p.text().$type<"debit" | "credit">(),
    subtype: p.text(),
    isBank: p.boolean(),
    isTrustLiability: p.boolean(),
  },
});
/** Account of an organization's chart of accounts. Created from the standard chart and never changed. */
export class Category extends CategorySchema.class {}
CategorySchema.setClass(Category);
