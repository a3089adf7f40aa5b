import { searchSupportSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** Search entries: one row per searchable record with its words, maintained by triggers. */
export class Search extends Migration {
  override up(): void {
    this.addSql(searchSupportSql);
    this.addSql(`create table search_entry (
      organization_id uuid not null,
      entity_type text not null,
      entity_id uuid not null,
      title text not null,
      subtitle text,
      words text not null,
      primary key (organization_id, entity_type, entity_id)
    );
    create index search_entry_by_words on search_entry using gin (organization_id, words gin_trgm_ops);
    alter table search_entry enable row level security;
    create policy own_organization on search_entry
      using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))`);
    // Phone numbers are indexed by their digits, amounts as cents with a dollar sign, such as $125000.
    this.addSql(`create view search_source with (security_invoker = true) as
      select organization_id, 'property' as entity_type, id as entity_id, name as title, concat_ws(', ', street_line1, city) as subtitle,
        words_of(name, street_line1, street_line2, city, state, postal_code) as words from property where deleted_at is null
      union all select u.organization_id, 'unit', u.id, coalesce('Unit ' || u.unit_number, 'Unit'), p.name,
        words_of(u.unit_number, 'unit', p.name, '$' || u.monthly_rent_cents)
        from unit u join property p on p.organization_id = u.organization_id and p.id = u.property_id where u.deleted_at is null
      union all select organization_id, 'tenant', id, full_name, coalesce(email, phone),
        words_of(full_name, company_name, email, regexp_replace(phone, '\\D', '', 'g'), regexp_replace(alternate_phone, '\\D', '', 'g'))
        from tenant where deleted_at is null
      union all select organization_id, 'owner', id, full_name, coalesce(company_name, email),
        words_of(full_name, company_name, email, regexp_replace(phone, '\\D', '', 'g')) from owner where deleted_at is null
      union all select organization_id, 'vendor', id, name, coalesce(trade, company_name),
        words_of(name, company_name, contact_name, trade, email, regexp_replace(phone, '\\D', '', 'g')) from vendor where deleted_at is null
      union all select l.organization_id, 'lease', l.id, o.names, concat_ws(', ', p.name, 'Unit ' || u.unit_number),
        words_of(o.names, p.name, u.unit_number, '$' || l.rent_cents)
        from lease l join property p on p.organization_id = l.organization_id and p.id = l.property_id
          join unit u on u.organization_id = l.organization_id and u.id = l.unit_id
          cross join lateral (select coalesce(string_agg(coalesce(t.full_name, c.full_name), ', ' order by c.is_primary desc, c.position), 'Lease') as names
            from lease_occupant c left join tenant t on t.organization_id = c.organization_id and t.id = c.tenant_id
            where c.organization_id = l.organization_id and c.lease_id = l.id and c.removed_at is null) o
        where l.deleted_at is null
      union all select w.organization_id, 'work_order', w.id, w.title, concat_ws(', ', '#' || w.number, p.name),
        words_of('#' || w.number, w.title, left(w.description, 500), p.name)
        from work_order w join property p on p.organization_id = w.organization_id and p.id = w.property_id
      union all select organization_id, 'document', id, title, file_name, words_of(title, file_name) from document where deleted_at is null`);
    this.addSql(`create function refresh_search(organization uuid, kind text, ids uuid[]) returns void language plpgsql security definer set search_path = public as $$
    begin
      delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
      insert into search_entry select * from search_source where organization_id = organization and entity_type = kind and entity_id = any(ids);
    end $$`);
    // Entries contain the names of related records, so a renamed property, unit or tenant also refreshes the entries that refer to it.
    this.addSql(`create function keep_search_entry() returns trigger language plpgsql security definer set search_path = public as $$
    declare organization uuid := new.organization_id;
    begin
      if tg_table_name = 'lease_occupant' then
        perform refresh_search(organization, 'lease', array[new.lease_id]);
        return null;
      end if;
      perform refresh_search(organization, tg_table_name, array[new.id]);
      if tg_op = 'INSERT' then return null; end if;
      if tg_table_name = 'property' then
        if new.name is distinct from old.name then
          perform refresh_search(organization, 'unit', array(select id from unit where organization_id = organization and property_id = new.id));
          perform refresh_search(organization, 'lease', array(select id from lease where organization_id = organization and property_id = new.id));
          perform refresh_search(organization, 'work_order', array(select id from work_order where organization_id = organization and property_id = new.id));
        end if;
      elsif tg_table_name = 'unit' then
        if new.unit_number is distinct from old.unit_number then
          perform refresh_search(organization, 'lease', array(select id from lease where organization_id = organization and unit_id = new.id));
        end if;
      elsif tg_table_name = 'tenant' then
        if new.full_name is distinct from old.full_name then
          perform refresh_search(organization, 'lease', array(select lease_id from lease_occupant where organization_id = organization and tenant_id = new.id));
        end if;
      end if;
      return null;
    end $$`);
    for (const table of ["property", "unit", "tenant", "owner", "vendor", "lease", "lease_occupant", "work_order", "document"])
      this.addSql(`create trigger keep_search_entry after insert or update on ${table} for each row execute function keep_search_entry()`);
    // PostgreSQL does not use the trigram index under row-level security, since `like` is not leakproof. The function bypasses the policy and filters by organization itself.
    this.addSql(`create function find_search_entries(longest text, patterns text[], types text[])
      returns table (entity_type text, entity_id uuid, title text, subtitle text, words text) language sql stable security definer set search_path = public as $$
      select entity_type, entity_id, title, subtitle, words from search_entry
      where organization_id = nullif(current_setting('app.organization_id', true), '')::uuid
        and words like longest and words like all (patterns) and entity_type = any (types) $$`);
    this.addSql(`create function find_like_search_entries(longest text, terms text[], types text[], at_most int)
      returns table (entity_type text, entity_id uuid, title text, subtitle text, words text, likeness real)
      language sql stable security definer set search_path = public set pg_trgm.word_similarity_threshold = 0.5 as $$
      select entity_type, entity_id, title, subtitle, words, likeness from search_entry
        cross join lateral (select min(word_similarity(term, words)) as likeness from unnest(terms) as term) alike
      where organization_id = nullif(current_setting('app.organization_id', true), '')::uuid
        and longest <% words and likeness >= 0.5 and entity_type = any (types)
      order by likeness desc, title, entity_id limit at_most $$`);
    const organizationTables = ["property", "unit", "tenant", "owner", "vendor", "lease", "lease_occupant", "work_order", "document"];
    const alterRowLevelSecurity = (mode: "force" | "no force") =>
      organizationTables.map((table) => `alter table ${table} ${mode} row level security`).join("; ");
    this.addSql(`${alterRowLevelSecurity("no force")}; insert into search_entry select * from search_source; ${alterRowLevelSecurity("force")}`);
  }
}
