import { Migration } from "@mikro-orm/migrations";

/**
 * What is kept of many rows is kept in shards. A transaction takes one that no other one has, so that two of them never
 * wait for each other there: each would hold rows that the other wants next.
 */
export class OwnShards extends Migration {
  override up(): void {
    this.addSql(`create function own_shard(organization uuid) returns smallint language plpgsql as $$
    declare
      mine text := current_setting('app.own_shard', true);
      shard int;
    begin
      if mine <> '' then return mine::smallint; end if;
      for turn in 0..31 loop
        shard := (pg_backend_pid() + turn) % 32;
        exit when pg_try_advisory_xact_lock(hashtext(organization::text), shard);
      end loop;
      perform set_config('app.own_shard', shard::text, true);
      return shard;
    end $$`);
    this.addSql(`create or replace function keep_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      came int := case when new.deleted_at is null then 1 else 0 end;
      went int := case when tg_op = 'UPDATE' and old.deleted_at is null then 1 else 0 end;
    begin
      if came <> went then
        insert into list_total as kept values (new.organization_id, tg_table_name, own_shard(new.organization_id), came - went)
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows;
      end if;
      return null;
    end $$`);
  }
}
