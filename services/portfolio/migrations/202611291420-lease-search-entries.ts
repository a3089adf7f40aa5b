import { Migration } from "@mikro-orm/migrations";

/** The search entry of a lease is written once, with its occupants. A renewal may have none. */
export class LeaseSearchEntries extends Migration {
  override up(): void {
    this.addSql(`create or replace function keep_added_search_entries() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare inserted record;
    begin
      if tg_table_name = 'lease_occupant' then
        for inserted in select organization_id, array_agg(distinct lease_id) as ids from added group by 1 loop
          perform refresh_search(inserted.organization_id, 'lease', inserted.ids);
        end loop;
      elsif tg_table_name = 'lease' then
        for inserted in select organization_id, array_agg(id) as ids from added where renewed_from_lease_id is not null group by 1 loop
          perform refresh_search(inserted.organization_id, 'lease', inserted.ids);
        end loop;
      else
        for inserted in select organization_id, array_agg(id) as ids from added group by 1 loop
          perform refresh_search(inserted.organization_id, tg_table_name, inserted.ids);
        end loop;
      end if;
      return null;
    end $$`);
  }
}
