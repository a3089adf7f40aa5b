import type { Policies } from "@freehold/contract/accounts";
import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const BookSchema = defineEntity({
  name: "Book",
  tableName: "book",
  ...inOrganization,
  properties: { ...orgColumns, timezone: p.text(), defaultBasis: p.text().$type<"accrual" | "cash">(), policies: p.json().$type<Policies>() },
});
/** An organization's books: its day and its rules, as identity last told them. One an organization; its id is the organization's. */
export class Book extends BookSchema.class {}
BookSchema.setClass(Book);
