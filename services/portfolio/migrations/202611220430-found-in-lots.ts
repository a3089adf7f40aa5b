import { Migration } from "@mikro-orm/migrations";

const TABLES_COUNTED_BY_STATEMENT = ["unit", "tenant", "lease"] as const;
const TABLES_INDEXED_BY_STATEMENT = [...TABLES_COUNTED_BY_STATEMENT, "lease_occupant"] as const;

/**
 * Statement-level triggers for inserts of units, tenants, leases and occupants: their row counts and search entries are updated
 * once per statement instead of once per row. The other tables keep their row-level triggers.
 * An update of a lease refreshes its search entry only if it sets a column that the entry is built from.
 */
export class StatementLevelTriggers extends Migration {
  override up(): void {
    this.addSql(`create function keep_added_search_entries() returns trigger language plpgsql security definer set search_path = public as $$
    declare inserted record;
    begin
      if tg_table_name = 'lease_occupant' then
        for inserted in select organization_id, array_agg(distinct lease_id) as ids from added group by 1 loop
          perform refresh_search(inserted.organization_id, 'lease', inserted.ids);
        end loop;
      else
        for inserted in select organization_id, array_agg(id) as ids from added group by 1 loop
          perform refresh_search(inserted.organization_id, tg_table_name, inserted.ids);
        end loop;
      end if;
      return null;
    end $$`);
    this.addSql(`create function keep_added_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into list_total as kept (organization_id, list, shard, rows)
        select organization_id, tg_table_name, own_shard(organization_id), count(*) from added where deleted_at is null group by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows;
      return null;
    end $$`);
    const updateEvent = (table: string) => (table === "lease" ? "update of property_id, unit_id, rent_cents, deleted_at" : "update");
    for (const table of TABLES_INDEXED_BY_STATEMENT)
      this.addSql(`drop trigger keep_search_entry on ${table};
      create trigger keep_search_entry after ${updateEvent(table)} on ${table} for each row execute function keep_search_entry();
      create trigger keep_added_search_entries after insert on ${table} referencing new table as added for each statement execute function keep_added_search_entries()`);
    for (const table of TABLES_COUNTED_BY_STATEMENT)
      this.addSql(`drop trigger keep_list_total on ${table};
      create trigger keep_list_total after update of deleted_at on ${table} for each row execute function keep_list_total();
      create trigger keep_added_list_total after insert on ${table} referencing new table as added for each statement execute function keep_added_list_total()`);
  }
}
