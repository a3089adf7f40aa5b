import { Migration } from "@mikro-orm/migrations";

/**
 * The search entries of leases look up the property of each lease, by a subquery that is not merged into the statement: while properties have no
 * statistics, a join was planned that compares each property of the organization with all leases of a batch.
 */
export class LeaseSearchSource extends Migration {
  override up(): void {
    this.addSql(`create or replace view lease_search_source with (security_invoker = true) as
      select l.organization_id, 'lease' as entity_type, l.id as entity_id, o.names as title, concat_ws(', ', p.name, 'Unit ' || u.unit_number) as subtitle,
        words_of(o.names, p.name, u.unit_number, '$' || l.rent_cents) as words
      from lease l
        cross join lateral (select p.name from property p where p.organization_id = l.organization_id and p.id = l.property_id limit 1) p
        cross join lateral (select u.unit_number from unit u where u.organization_id = l.organization_id and u.id = l.unit_id limit 1) u
        cross join lateral (select coalesce(string_agg(coalesce(t.full_name, c.full_name), ', ' order by c.is_primary desc, c.position), 'Lease') as names
          from lease_occupant c left join tenant t on t.organization_id = c.organization_id and t.id = c.tenant_id
          where c.organization_id = l.organization_id and c.lease_id = l.id and c.removed_at is null) o
      where l.deleted_at is null`);
  }
}
