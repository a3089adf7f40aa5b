import { defineEntity, inOrganization, p } from "@freehold/kit/db/entity";

/** Number of rows of a table that are not deleted: the sum of `rows` over the shards of `list`, the table's name. Triggers maintain the counts. */
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
