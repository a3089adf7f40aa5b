/** Which records could be the ones that another system has: asked for many at a time, answered in the words of the import template. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { FindMatchesRequest, Match } from "@freehold/proto/portfolio/v1/portfolio";

type Sql = RawBuilder<unknown>;
const plain = (text: Sql) => sql`lower(trim(regexp_replace(${text}, '[[:space:][:punct:]]+', ' ', 'g')))`;
const money = (column: Sql) => sql`to_char(${column} / 100.0, 'FM999999999990.00')`;
const flag = (column: Sql) => sql`case when ${column} then 'yes' else 'no' end`;

interface Kind {
  table: Sql;
  name: Sql;
  /** What says, each by itself, that a record `r` could be the one that is criteria, `s`. */
  ways: Record<string, Sql>;
  fields: Sql;
}

const sameName = (name: Sql) => sql`${plain(name)} = ${plain(sql`s.name`)}`;
const ofPeople = (name: Sql) => ({ email: sql`lower(r.email) = lower(s.email)`, name: sameName(name) });

const kinds: Record<string, Kind> = {
  property: {
    table: sql`property`,
    name: sql`r.name`,
    ways: {
      address: sql`${plain(sql`r.street_line1`)} = ${plain(sql`s.street_line1`)} and left(r.postal_code, 5) = left(s.postal_code, 5)`,
      name: sameName(sql`r.name`),
    },
    fields: sql`'name', r.name, 'street_line1', r.street_line1, 'street_line2', r.street_line2, 'city', r.city, 'state', r.state,
      'postal_code', r.postal_code, 'asset_class', r.asset_class, 'reserve', ${money(sql`r.reserve_cents`)}`,
  },
  unit: {
    table: sql`unit`,
    name: sql`coalesce(r.unit_number, '')`,
    ways: { number: sql`r.property_id = s.property_id and lower(r.unit_number) = lower(s.unit_number)` },
    fields: sql`'property', r.property_id::text, 'unit_number', r.unit_number, 'unit_type', r.unit_type, 'bedrooms', r.bedrooms::text, 'bathrooms', r.bathrooms::text,
      'square_feet', r.square_feet::text, 'market_rent', ${money(sql`r.market_rent_cents`)}, 'monthly_rent', ${money(sql`r.monthly_rent_cents`)}`,
  },
  owner: {
    table: sql`owner`,
    name: sql`r.full_name`,
    ways: ofPeople(sql`r.full_name`),
    fields: sql`'full_name', r.full_name, 'company_name', r.company_name, 'email', lower(r.email), 'phone', r.phone, 'include_1099', ${flag(sql`r.include1099`)}`,
  },
  vendor: {
    table: sql`vendor`,
    name: sql`r.name`,
    ways: ofPeople(sql`r.name`),
    fields: sql`'name', r.name, 'trade', r.trade, 'email', lower(r.email), 'phone', r.phone, 'notes', r.notes, 'include_1099', ${flag(sql`r.include1099`)}`,
  },
  tenant: {
    table: sql`tenant`,
    name: sql`r.full_name`,
    ways: ofPeople(sql`r.full_name`),
    fields: sql`'full_name', r.full_name, 'first_name', r.first_name, 'last_name', r.last_name, 'company_name', r.company_name,
      'email', lower(r.email), 'phone', r.phone, 'preferred_language', r.preferred_language, 'date_of_birth', r.date_of_birth::text`,
  },
  lease: {
    table: sql`lease`,
    name: sql`r.start_date::text`,
    ways: {
      "first day": sql`r.unit_id = s.unit_id and r.start_date = s.start_date and r.status <> 'cancelled'`,
      unit: sql`r.unit_id = s.unit_id and s.start_date is null and r.status <> 'cancelled'`,
    },
    fields: sql`'start_date', r.start_date::text, 'end_date', r.end_date::text, 'term_type', r.term_type, 'rent', ${money(sql`r.rent_cents`)},
      'rent_charge_day', r.rent_charge_day::text, 'move_in_date', r.move_in_date::text, 'lease_kind', r.lease_kind, 'status', r.status,
      'last_day', coalesce(r.termination_date, case when r.term_type = 'fixed' or r.status = 'expired' then r.end_date end)::text, 'unit', r.unit_id::text,
      'tenants', (select string_agg(o.tenant_id::text, ' ') from lease_occupant o where o.organization_id = r.organization_id and o.lease_id = r.id
        and o.tenant_id is not null and o.removed_at is null)`,
  },
};

/** The live records that have something in common with one that is criteria, with all that they have in common. */
export async function matchesFor(db: StatementRunner, { kind, criteria }: FindMatchesRequest): Promise<Match[]> {
  const known = kinds[kind];
  if (!known || criteria.length === 0) return [];
  const { table, name, ways, fields } = known;
  const given = criteria.map((each) => ({
    key: each.key,
    name: each.name,
    email: each.email,
    street_line1: each.streetLine1,
    postal_code: each.postalCode,
    property_id: each.propertyId,
    unit_number: each.unitNumber,
    unit_id: each.unitId,
    start_date: each.startDate,
    id: each.id,
  }));
  // Each way is a join of its own, so that none compares everything with everything.
  const found = Object.entries({ id: sql`r.id = s.id`, ...ways }).map(
    ([reason, isSame]) => sql`select s.key, r.id, ${reason}::text as reason from criteria s join ${table} r on ${isSame}
      where r.organization_id = ${db.organizationId} and r.deleted_at is null`,
  );
  return db.all(sql<Match>`with criteria as materialized (select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (key text, name text, email text,
        street_line1 text, postal_code text, property_id uuid, unit_number text, unit_id uuid, start_date date, id uuid)),
      found as (${sql.join(found, sql` union all `)}),
      common as (select key, id, array_agg(reason order by reason) as reasons from found group by key, id)
    select c.key, c.id, ${name} as name, c.reasons, json_strip_nulls(json_build_object(${fields})) as fields
    from common c join ${table} r on r.organization_id = ${db.organizationId} and r.id = c.id order by c.key, c.id`);
}
