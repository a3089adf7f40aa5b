import { searchCandidatesSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** The search of lists finds its candidates in the trigram index, and work orders by their whole description. */
export class ListSearches extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("drop function find_search_entries(text, text[], text[])");
    this.addSql(searchCandidatesSql);
    this.addSql("alter table work_order no force row level security");
    this.addSql("alter table property no force row level security");
    this.addSql(`create or replace view search_source with (security_invoker = true) as
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
        words_of('#' || w.number, w.title, w.description, p.name)
        from work_order w join property p on p.organization_id = w.organization_id and p.id = w.property_id
      union all select organization_id, 'document', id, title, file_name, words_of(title, file_name) from document where deleted_at is null`);
    this.addSql(`select refresh_search(organization_id, 'work_order', array_agg(id)) from work_order where length(description) > 500 group by organization_id`);
    this.addSql("alter table property force row level security");
    this.addSql("alter table work_order force row level security");
    // A long description is not indexed again with every change of the status.
    this.addSql("drop trigger keep_search_entry on work_order");
    this.addSql(`create trigger keep_search_entry after insert or update of title, description, property_id on work_order
      for each row execute function keep_search_entry()`);
  }
}
