import { ownShardSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** Keeps the row counts of lists in 32 shards per organization, so that up to 32 concurrent transactions each update a shard of their own. */
export class ShardsByTransaction extends Migration {
  override up(): void {
    this.addSql(ownShardSql);
    this.addSql(`create or replace function keep_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      counted_after int := case when new.deleted_at is null then 1 else 0 end;
      counted_before int := case when tg_op = 'UPDATE' and old.deleted_at is null then 1 else 0 end;
    begin
      if counted_after <> counted_before then
        insert into list_total as kept values (new.organization_id, tg_table_name, own_shard(new.organization_id), counted_after - counted_before)
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows;
      end if;
      return null;
    end $$`);
  }
}
