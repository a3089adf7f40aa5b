import { cents, defineEntity, inOrganizationBatches, p } from "@freehold/kit/db/entity";

/**
 * Row count and total amount of an unfiltered list, maintained by triggers and split into shards, so that concurrent
 * transactions rarely wait for each other. Draft journal entries are not counted.
 */
export const ListTotal = defineEntity({
  name: "ListTotal",
  tableName: "list_total",
  ...inOrganizationBatches,
  properties: {
    organizationId: p.uuid().primary(),
    list: p.text().$type<"charge" | "open_charge" | "payment" | "journal_entry">().primary(),
    shard: p.smallint().primary(),
    rows: p.bigint("number"),
    amountCents: cents(),
  },
});
