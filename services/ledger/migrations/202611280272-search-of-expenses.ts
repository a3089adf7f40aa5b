import { Migration } from "@mikro-orm/migrations";

const kinds = ["tenant", "payment", "charge", "expense"];

/**
 * Expenses are found by their words: name, description, invoice number, and the name of the vendor. A rename reaches the newest 5 000 expenses of
 * the vendor, so that it stays within the time of a statement.
 */
export class SearchOfExpenses extends Migration {
  override up(): void {
    this.addSql(`set local statement_timeout = 0`);
    this.addSql(`create index expense_by_amount on expense (organization_id, amount_cents, incurred_on, id)`);
    this.addSql(`create or replace view search_source with (security_invoker = true) as
      select organization_id, 'tenant' as entity_type, id as entity_id, words_of(full_name) as words from tenant_copy
      union all select p.organization_id, 'payment', p.id, words_of(p.check_number, t.full_name)
        from payment p left join tenant_copy t on t.organization_id = p.organization_id and t.id = p.tenant_id where p.check_number is not null
      union all select c.organization_id, 'charge', c.id, words_of(c.name, c.memo, t.full_name)
        from charge c left join tenant_copy t on t.organization_id = c.organization_id and t.id = c.tenant_id
        where c.recurring_charge_rule_id is null or c.memo is not null
      union all select x.organization_id, 'expense', x.id, words_of(x.name, x.description, x.invoice_number, v.name)
        from expense x left join vendor_copy v on v.organization_id = x.organization_id and v.id = x.vendor_id`);
    // A statement for each type, since the plan of one with a variable type would read all of them.
    const cases = kinds.map(
      (kind) => `when '${kind}' then
      insert into search_entry select * from search_source where organization_id = organization and entity_type = '${kind}' and entity_id = any(ids)
        on conflict (organization_id, entity_type, entity_id) do update set words = excluded.words;`,
    );
    this.addSql(`create or replace function refresh_search(organization uuid, kind text, ids uuid[]) returns void language plpgsql security definer
      set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  begin
    delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
    case kind ${cases.join("\n      ")}
    end case;
  end $$`);
    this.addSql(`create or replace function keep_search_entry() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare organization uuid := new.organization_id;
    begin
      if tg_table_name = 'vendor_copy' then
        if new.name <> old.name then
          perform refresh_search(organization, 'expense', array(select id from expense
            where organization_id = organization and vendor_id = new.id order by incurred_on desc, id desc limit 5000));
        end if;
      elsif tg_table_name = 'tenant_copy' then
        if tg_op = 'UPDATE' then
          if new.full_name = old.full_name then return null; end if;
          perform refresh_search(organization, 'payment', array(select id from payment where organization_id = organization and tenant_id = new.id));
          perform refresh_search(organization, 'charge', array(select id from charge where organization_id = organization and tenant_id = new.id));
        end if;
        perform refresh_search(organization, 'tenant', array[new.id]);
      else
        perform refresh_search(organization, tg_table_name, array[new.id]);
      end if;
      return null;
    end $$;
    create trigger keep_search_entry after insert or update of name, description, invoice_number, vendor_id on expense for each row execute function keep_search_entry();
    create trigger keep_search_entry after update of name on vendor_copy for each row execute function keep_search_entry()`);
    this.addSql(`alter table expense no force row level security; alter table vendor_copy no force row level security;
      insert into search_entry select * from search_source where entity_type = 'expense';
      alter table expense force row level security; alter table vendor_copy force row level security`);
  }
}
