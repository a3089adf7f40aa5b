import { Migration } from "@mikro-orm/migrations";

const withTenant = (table: string) => `left join tenant_copy t on t.organization_id = ${table}.organization_id and t.id = ${table}.tenant_id`;

/** Columns `entity_id` and `words` of the search entries of each kind. */
const sources: Record<string, string> = {
  tenant: "select organization_id, 'tenant' as entity_type, id as entity_id, words_of(full_name) as words from tenant_copy",
  payment: `select p.organization_id, 'payment' as entity_type, p.id as entity_id, words_of(p.check_number, t.full_name) as words
    from payment p ${withTenant("p")} where p.check_number is not null`,
  charge: `select c.organization_id, 'charge' as entity_type, c.id as entity_id, words_of(c.name, c.memo, t.full_name) as words
    from charge c ${withTenant("c")} where c.recurring_charge_rule_id is null or c.memo is not null`,
  expense: `select x.organization_id, 'expense' as entity_type, x.id as entity_id, words_of(x.name, x.description, x.invoice_number, v.name) as words
    from expense x left join vendor_copy v on v.organization_id = x.organization_id and v.id = x.vendor_id`,
};
const kinds = Object.keys(sources);

/**
 * The search entries of each kind come from a view of its own. A plan that reads the union of all kinds contains the row-level security of all
 * their tables: it takes several times as long, and is made again after each analysis of any of them. Expenses that are inserted by one statement
 * get their search entries by one statement.
 */
export class SearchSourceOfEachKind extends Migration {
  override up(): void {
    for (const kind of kinds) this.addSql(`create view ${kind}_search_source with (security_invoker = true) as ${sources[kind]}`);
    this.addSql(`create or replace view search_source with (security_invoker = true) as
      ${kinds.map((kind) => `select organization_id, entity_type, entity_id, words from ${kind}_search_source`).join(" union all ")}`);
    const cases = kinds.map(
      (kind) => `when '${kind}' then
      insert into search_entry select * from ${kind}_search_source where organization_id = organization and entity_id = any(ids)
        on conflict (organization_id, entity_type, entity_id) do update set words = excluded.words;`,
    );
    this.addSql(`create or replace function refresh_search(organization uuid, kind text, ids uuid[]) returns void language plpgsql security definer
      set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  begin
    delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
    case kind ${cases.join("\n      ")}
    end case;
  end $$`);
    this.addSql(`create or replace function keep_added_search_entries() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare lot record;
    begin
      if tg_table_name = 'charge' then
        for lot in select organization_id, array_agg(id) as ids from added where recurring_charge_rule_id is null or memo is not null group by 1 loop
          perform refresh_search(lot.organization_id, 'charge', lot.ids);
        end loop;
      else
        for lot in select organization_id, array_agg(id) as ids from added group by 1 loop
          perform refresh_search(lot.organization_id, case tg_table_name when 'tenant_copy' then 'tenant' else tg_table_name end, lot.ids);
        end loop;
      end if;
      return null;
    end $$;
    drop trigger keep_search_entry on expense;
    create trigger keep_search_entry after update of name, description, invoice_number, vendor_id on expense for each row execute function keep_search_entry();
    create trigger keep_added_search_entries after insert on expense referencing new table as added for each statement execute function keep_added_search_entries()`);
  }
}
