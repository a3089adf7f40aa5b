/** Record matching for imports: finds existing records that may equal those of another system, with their values as columns of the import template. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { FindMatchesRequest, Match } from "@freehold/proto/portfolio/v1/portfolio";
import { normalizedSql } from "../db/normalized.ts";
import { lastDayOf } from "../leases/residence.queries.ts";

type Sql = RawBuilder<unknown>;
const dollars = (column: Sql) => sql`to_char(${column} / 100.0, 'FM999999999990.00')`;
const yesOrNo = (column: Sql) => sql`case when ${column} then 'yes' else 'no' end`;

/** Key of a criterion in the form of the generated columns. */
const matchKey = (column: string): Sql => sql`nullif(${sql.raw(normalizedSql(column))}, '')`;

interface MatchDefinition {
  table: Sql;
  /** Display name of the record `r`. */
  name: Sql;
  /** Conditions by reason, each sufficient for a match of the record `r` with the criteria `s`. */
  reasons: Record<string, Sql>;
  /** Keys and values of the import template's columns. */
  fields: Sql;
  /** Time of the deletion of the record `r`, by default `deleted_at`. */
  deletedAt?: Sql;
}

const sameName = sql`r.match_name = s.match_name`;
const personReasons = { email: sql`r.same_email = s.same_email`, name: sameName };

const definitions: Record<string, MatchDefinition> = {
  property: {
    table: sql`property`,
    name: sql`r.name`,
    reasons: {
      address: sql`r.match_address = s.match_address`,
      name: sameName,
    },
    fields: sql`'name', r.name, 'street_line1', r.street_line1, 'street_line2', r.street_line2, 'city', r.city, 'state', r.state,
      'postal_code', r.postal_code, 'asset_class', r.asset_class, 'reserve', ${dollars(sql`r.reserve_cents`)}`,
  },
  unit: {
    table: sql`unit`,
    name: sql`coalesce(r.unit_number, '')`,
    reasons: { number: sql`r.property_id = s.property_id and r.same_number = s.same_number` },
    fields: sql`'property', r.property_id::text, 'unit_number', r.unit_number, 'unit_type', r.unit_type, 'bedrooms', r.bedrooms::text, 'bathrooms', r.bathrooms::text,
      'square_feet', r.square_feet::text, 'market_rent', ${dollars(sql`r.market_rent_cents`)}, 'monthly_rent', ${dollars(sql`r.monthly_rent_cents`)}`,
  },
  owner: {
    table: sql`owner`,
    name: sql`r.full_name`,
    reasons: personReasons,
    fields: sql`'full_name', r.full_name, 'company_name', r.company_name, 'email', lower(r.email), 'phone', r.phone, 'include_1099', ${yesOrNo(sql`r.include1099`)}`,
  },
  vendor: {
    table: sql`vendor`,
    name: sql`r.name`,
    reasons: personReasons,
    fields: sql`'name', r.name, 'trade', r.trade, 'email', lower(r.email), 'phone', r.phone, 'notes', r.notes, 'include_1099', ${yesOrNo(sql`r.include1099`)}`,
  },
  tenant: {
    table: sql`tenant`,
    name: sql`r.full_name`,
    reasons: personReasons,
    fields: sql`'full_name', r.full_name, 'first_name', r.first_name, 'last_name', r.last_name, 'company_name', r.company_name,
      'email', lower(r.email), 'phone', r.phone, 'preferred_language', r.preferred_language, 'date_of_birth', r.date_of_birth::text`,
  },
  lease: {
    table: sql`lease`,
    name: sql`r.start_date::text`,
    reasons: {
      "first day": sql`r.unit_id = s.unit_id and r.start_date = s.start_date and r.status <> 'cancelled'`,
      unit: sql`r.unit_id = s.unit_id and s.start_date is null and r.status <> 'cancelled'`,
    },
    fields: sql`'start_date', r.start_date::text, 'end_date', r.end_date::text, 'term_type', r.term_type, 'rent', ${dollars(sql`r.rent_cents`)},
      'rent_charge_day', r.rent_charge_day::text, 'move_in_date', r.move_in_date::text, 'lease_kind', r.lease_kind, 'status', r.status,
      'last_day', (${lastDayOf("r")})::text, 'unit', r.unit_id::text, 'tenant', r.tenant_id::text,
      'tenants', (select string_agg(o.tenant_id::text, ' ') from lease_occupant o where o.organization_id = r.organization_id and o.lease_id = r.id
        and o.tenant_id is not null and o.removed_at is null)`,
  },
  // Known by id only.
  work_order: { table: sql`work_order`, name: sql`r.title`, reasons: {}, fields: sql`'status', r.status`, deletedAt: sql`null` },
  occupant: { table: sql`lease_occupant`, name: sql`r.full_name`, reasons: {}, fields: sql`'lease', r.lease_id::text`, deletedAt: sql`r.removed_at` },
};

/** Returns the records that are not deleted and match any of the criteria, each with all reasons of the match. */
export async function findMatchingRecords(db: StatementRunner, { kind, criteria }: FindMatchesRequest): Promise<Match[]> {
  const definition = definitions[kind];
  if (!definition || criteria.length === 0) return [];
  const { table, name, reasons, fields, deletedAt = sql`r.deleted_at` } = definition;
  const criteriaRows = criteria.map((criterion) => ({
    key: criterion.key,
    name: criterion.name,
    email: criterion.email,
    street_line1: criterion.streetLine1,
    postal_code: criterion.postalCode,
    property_id: criterion.propertyId,
    unit_number: criterion.unitNumber,
    unit_id: criterion.unitId,
    start_date: criterion.startDate,
    id: criterion.id,
  }));
  // One join per reason, each by the index of a generated column.
  const candidates = Object.entries({ id: sql`r.id = s.id`, ...reasons }).map(
    ([reason, condition]) => sql`select s.key, r.id, ${reason}::text as reason from criteria s join ${table} r on ${condition}
      where r.organization_id = ${db.organizationId} and ${deletedAt} is null`,
  );
  return db.all(sql<Match>`with criteria as materialized (select key, ${matchKey("name")} as match_name, lower(email) as same_email,
        ${matchKey("street_line1")} || '/' || left(postal_code, 5) as match_address, property_id, lower(unit_number) as same_number, unit_id, start_date, id
      from jsonb_to_recordset(${JSON.stringify(criteriaRows)}::jsonb) as input (key text, name text, email text,
        street_line1 text, postal_code text, property_id uuid, unit_number text, unit_id uuid, start_date date, id uuid)),
      candidates as (${sql.join(candidates, sql` union all `)}),
      matches as (select key, id, array_agg(reason order by reason) as reasons from candidates group by key, id)
    select m.key, m.id, ${name} as name, m.reasons, json_strip_nulls(json_build_object(${fields})) as fields
    from matches m join ${table} r on r.organization_id = ${db.organizationId} and r.id = m.id order by m.key, m.id`);
}
