import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Row counts of unfiltered lists, maintained by triggers. */
export class ListTotals extends Migration {
  override up(): void {
    // Several shards per list, chosen by connection, so that concurrent transactions do not wait for one counter row.
    this.addSql(`create table list_total (
      organization_id uuid not null,
      list text not null,
      shard smallint not null,
      rows bigint not null,
      primary key (organization_id, list, shard)
    ) with (fillfactor = 50);
    ${rowLevelSecuritySql("list_total")}`);
    this.addSql(`create function keep_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      came int := case when new.deleted_at is null then 1 else 0 end;
      went int := case when tg_op = 'UPDATE' and old.deleted_at is null then 1 else 0 end;
    begin
      if came <> went then
        insert into list_total as kept values (new.organization_id, tg_table_name, pg_backend_pid() % 8, came - went)
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows;
      end if;
      return null;
    end $$`);
    for (const table of ["property", "unit", "owner", "tenant", "vendor", "lease"])
      this.addSql(`alter table ${table} no force row level security;
      insert into list_total select organization_id, '${table}', 0, count(*) from ${table} where deleted_at is null group by 1;
      alter table ${table} force row level security;
      create trigger keep_list_total after insert or update of deleted_at on ${table} for each row execute function keep_list_total()`);
  }
}
