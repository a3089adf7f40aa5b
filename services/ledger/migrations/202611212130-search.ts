import { searchSupportSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/**
 * Search of payments and charges. Indexes serve searches by amount. Searches by words use one search entry per tenant and per payment
 * or charge with words of its own (check number, memo, name of a manual charge); all others are found through their tenant.
 */
export class Search extends Migration {
  override up(): void {
    this.addSql(searchSupportSql);
    this.addSql(`create index payment_by_amount on payment (organization_id, amount_cents, received_at, id);
      create index charge_by_amount on charge (organization_id, amount_cents, due_date, id)`);
    this.addSql(`create table search_entry (
      organization_id uuid not null,
      entity_type text not null,
      entity_id uuid not null,
      words text not null,
      primary key (organization_id, entity_type, entity_id)
    );
    create index search_entry_by_words on search_entry using gin (organization_id, entity_type, words gin_trgm_ops);
    alter table search_entry enable row level security;
    create policy own_organization on search_entry
      using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))`);
    this.addSql(`create view search_source with (security_invoker = true) as
      select organization_id, 'tenant' as entity_type, id as entity_id, words_of(full_name) as words from tenant_copy
      union all select p.organization_id, 'payment', p.id, words_of(p.check_number, t.full_name)
        from payment p left join tenant_copy t on t.organization_id = p.organization_id and t.id = p.tenant_id where p.check_number is not null
      union all select c.organization_id, 'charge', c.id, words_of(c.name, c.memo, t.full_name)
        from charge c left join tenant_copy t on t.organization_id = c.organization_id and t.id = c.tenant_id
        where c.recurring_charge_rule_id is null or c.memo is not null`);
    this.addSql(`create function refresh_search(organization uuid, kind text, ids uuid[]) returns void language plpgsql security definer set search_path = public as $$
    begin
      delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
      insert into search_entry select * from search_source where organization_id = organization and entity_type = kind and entity_id = any(ids);
    end $$`);
    this.addSql(`create function keep_search_entry() returns trigger language plpgsql security definer set search_path = public as $$
    declare organization uuid := new.organization_id;
    begin
      if tg_table_name = 'tenant_copy' then
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
    create trigger keep_search_entry after insert or update of full_name on tenant_copy for each row execute function keep_search_entry();
    create trigger keep_search_entry after insert or update of check_number, tenant_id on payment for each row
      when (new.check_number is not null) execute function keep_search_entry();
    create trigger keep_search_entry after insert or update of name, memo, tenant_id on charge for each row
      when (new.recurring_charge_rule_id is null or new.memo is not null) execute function keep_search_entry()`);
    // Row-level security prevents the planner from using the trigram index, so a function that bypasses it restricts the rows to the request's organization.
    this.addSql(`create function find_search_entries(longest text, patterns text[], kind text, at_most int)
      returns setof uuid language sql stable security definer set search_path = public as $$
      select entity_id from search_entry
      where organization_id = nullif(current_setting('app.organization_id', true), '')::uuid
        and entity_type = kind and words like longest and words like all (patterns) limit at_most $$`);
    const organizationTables = ["tenant_copy", "payment", "charge"];
    const alterRowLevelSecurity = (mode: "force" | "no force") =>
      organizationTables.map((table) => `alter table ${table} ${mode} row level security`).join("; ");
    this.addSql(`${alterRowLevelSecurity("no force")}; insert into search_entry select * from search_source; ${alterRowLevelSecurity("force")}`);
  }
}
