import { Migration } from "@mikro-orm/migrations";

const digits = (column: string) => `regexp_replace(${column}, '\\D', '', 'g')`;
const withProperty = (table: string) => `join property p on p.organization_id = ${table}.organization_id and p.id = ${table}.property_id`;

/** Title, subtitle and words of the search entries of each kind, and the live records from which they are selected. */
const sources: Record<string, string> = {
  property: `select organization_id, 'property' as entity_type, id as entity_id, name as title, concat_ws(', ', street_line1, city) as subtitle,
    words_of(name, street_line1, street_line2, city, state, postal_code) as words from property where deleted_at is null`,
  unit: `select u.organization_id, 'unit' as entity_type, u.id as entity_id, coalesce('Unit ' || u.unit_number, 'Unit') as title, p.name as subtitle,
    words_of(u.unit_number, 'unit', p.name, '$' || u.monthly_rent_cents) as words from unit u ${withProperty("u")} where u.deleted_at is null`,
  tenant: `select organization_id, 'tenant' as entity_type, id as entity_id, full_name as title, coalesce(email, phone) as subtitle,
    words_of(full_name, company_name, email, ${digits("phone")}, ${digits("alternate_phone")}) as words from tenant where deleted_at is null`,
  owner: `select organization_id, 'owner' as entity_type, id as entity_id, full_name as title, coalesce(company_name, email) as subtitle,
    words_of(full_name, company_name, email, ${digits("phone")}) as words from owner where deleted_at is null`,
  vendor: `select organization_id, 'vendor' as entity_type, id as entity_id, name as title, coalesce(trade, company_name) as subtitle,
    words_of(name, company_name, contact_name, trade, email, ${digits("phone")}) as words from vendor where deleted_at is null`,
  lease: `select l.organization_id, 'lease' as entity_type, l.id as entity_id, o.names as title, concat_ws(', ', p.name, 'Unit ' || u.unit_number) as subtitle,
    words_of(o.names, p.name, u.unit_number, '$' || l.rent_cents) as words
    from lease l ${withProperty("l")} join unit u on u.organization_id = l.organization_id and u.id = l.unit_id
      cross join lateral (select coalesce(string_agg(coalesce(t.full_name, c.full_name), ', ' order by c.is_primary desc, c.position), 'Lease') as names
        from lease_occupant c left join tenant t on t.organization_id = c.organization_id and t.id = c.tenant_id
        where c.organization_id = l.organization_id and c.lease_id = l.id and c.removed_at is null) o
    where l.deleted_at is null`,
  work_order: `select w.organization_id, 'work_order' as entity_type, w.id as entity_id, w.title, concat_ws(', ', '#' || w.number, p.name) as subtitle,
    words_of('#' || w.number, w.title, w.description, p.name) as words from work_order w ${withProperty("w")}`,
  document: `select organization_id, 'document' as entity_type, id as entity_id, title, file_name as subtitle, words_of(title, file_name) as words
    from document where deleted_at is null`,
};
const kinds = Object.keys(sources);

/**
 * The search entries of each kind come from a view of its own. A plan that reads the union of all kinds contains the row-level security of all
 * their tables: it takes several times as long, and is made again after each analysis of any of them.
 */
export class SearchSourceOfEachKind extends Migration {
  override up(): void {
    for (const kind of kinds) this.addSql(`create view ${kind}_search_source with (security_invoker = true) as ${sources[kind]}`);
    const columns = "organization_id, entity_type, entity_id, title, subtitle, words";
    this.addSql(`create or replace view search_source with (security_invoker = true) as
      ${kinds.map((kind) => `select ${columns} from ${kind}_search_source`).join(" union all ")}`);
    const cases = kinds.map(
      (kind) => `when '${kind}' then
      insert into search_entry select * from ${kind}_search_source where organization_id = organization and entity_id = any(ids);`,
    );
    this.addSql(`create or replace function refresh_search(organization uuid, kind text, ids uuid[]) returns void language plpgsql security definer
      set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  begin
    delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
    case kind ${cases.join("\n      ")}
    end case;
  end $$`);
  }
}
