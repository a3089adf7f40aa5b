import { cents, defineEntity, inOrganization, p } from "@freehold/kit/db/entity";

/** How many rows a list has in all and what they come to, kept by the database as rows are added. Drafts are not among the entries. */
export const ListTotal = defineEntity({
  name: "ListTotal",
  tableName: "list_total",
  ...inOrganization,
  properties: {
    organizationId: p.uuid().primary(),
    list: p.text().$type<"charge" | "open_charge" | "payment" | "journal_entry">().primary(),
    shard: p.smallint().primary(),
    rows: p.bigint("number"),
    amountCents: cents(),
  },
});
