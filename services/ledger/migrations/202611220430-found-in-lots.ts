import { Migration } from "@mikro-orm/migrations";

/** Search entries of inserted tenants and charges are written once per statement instead of once per row. */
export class StatementLevelSearchTriggers extends Migration {
  override up(): void {
    this.addSql(`create function keep_added_search_entries() returns trigger language plpgsql security definer set search_path = public as $$
    declare lot record;
    begin
      if tg_table_name = 'charge' then
        for lot in select organization_id, array_agg(id) as ids from added where recurring_charge_rule_id is null or memo is not null group by 1 loop
          perform refresh_search(lot.organization_id, 'charge', lot.ids);
        end loop;
      else
        for lot in select organization_id, array_agg(id) as ids from added group by 1 loop
          perform refresh_search(lot.organization_id, 'tenant', lot.ids);
        end loop;
      end if;
      return null;
    end $$`);
    this.addSql(`drop trigger keep_search_entry on tenant_copy; drop trigger keep_search_entry on charge;
      create trigger keep_search_entry after update of full_name on tenant_copy for each row execute function keep_search_entry();
      create trigger keep_search_entry after update of name, memo, tenant_id on charge for each row
        when (new.recurring_charge_rule_id is null or new.memo is not null) execute function keep_search_entry()`);
    for (const table of ["tenant_copy", "charge"])
      this.addSql(
        `create trigger keep_added_search_entries after insert on ${table} referencing new table as added for each statement execute function keep_added_search_entries()`,
      );
  }
}
