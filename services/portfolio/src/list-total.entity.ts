import { defineEntity, inOrganization, p } from "@freehold/kit/db/entity";

/** How many rows of a table are not deleted, kept by the database as they come and go. */
export const ListTotal = defineEntity({
  name: "ListTotal",
  tableName: "list_total",
  ...inOrganization,
  properties: {
    organizationId: p.uuid().primary(),
    list: p.text().primary(),
    shard: p.smallint().primary(),
    rows: p.bigint("number"),
  },
});
