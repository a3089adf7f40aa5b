/**
 * The leases of an organization as portfolio keeps them: properties of twenty units, each unit let to a tenant of its own,
 * every second one with a lease behind it; and five work orders for two units, one in ten of which is still to be done.
 */
import type pg from "pg";

const row = "organization_id, id, created_at, updated_at";
const of = (id: string) => `organization_id, ${id}, made, made`;
const eachOnce = (id: string) => `(select distinct on (${id}) * from place order by ${id}, n) place`;

const statements = [
  `insert into property (${row}, name, street_line1, city, state, postal_code, asset_class, units, occupied_units, deposit_deadline_days)
    select ${of("property_id")}, 'House ' || property_number, property_number || ' Elm Street', 'Albany', 'NY', '12207', 'residential', count, count, 30
    from ${eachOnce("property_id")} join (select property_id, count(*)::int from place group by 1) counted using (property_id)`,
  `insert into owner (${row}, full_name, email, is_active, include1099, payout_method, hold_payouts, statement_deliver, portal_status)
    select ${of("owner_id")}, 'Owner ' || n, 'owner' || n || '@example.com', true, false, 'ach', false, 'email', 'none' from ${eachOnce("owner_id")}`,
  `insert into property_owner (organization_id, property_id, owner_id, position) select organization_id, property_id, owner_id, 0 from ${eachOnce("property_id")}`,
  `insert into unit (${row}, property_id, unit_number, unit_type, bedrooms, monthly_rent_cents, status, amenities)
    select ${of("unit_id")}, property_id, unit_number::text, 'residential', 2, rent_cents, 'occupied', '{}' from place`,
  `insert into tenant (${row}, full_name, email, phone, preferred_language, portal_status)
    select ${of("tenant_id")}, full_name, 'tenant' || n || '@example.com', '+1518' || lpad(n::text, 7, '0'), 'en', 'none' from place`,
  `insert into lease (${row}, property_id, unit_id, tenant_id, status, lease_kind, term_type, start_date, end_date, rent_cents, rent_charge_day, late_fee_type,
      co_tenants_jointly_liable, deposit_required_cents, prorate_first_month, create_recurring_rent)
    select ${of("lease_id")}, property_id, unit_id, tenant_id, 'active', 'residential', 'fixed', start_date, end_date, rent_cents, 1, 'none', true, rent_cents, true, true from place`,
  `insert into lease_occupant (${row}, lease_id, tenant_id, full_name, position, is_primary, role)
    select ${of("occupant_id")}, lease_id, tenant_id, full_name, 0, true, 'primary' from place`,
  `insert into lease (${row}, property_id, unit_id, tenant_id, status, lease_kind, term_type, start_date, end_date, rent_cents, rent_charge_day, late_fee_type,
      co_tenants_jointly_liable, deposit_required_cents, prorate_first_month, create_recurring_rent, superseded_from)
    select ${of("past_lease_id")}, property_id, unit_id, tenant_id, 'expired', 'residential', 'fixed', start_date - 366, start_date - 1, rent_cents - 5000, 1, 'none', true, 0, true, true,
      start_date from place where n % 2 = 0`,
  `insert into lease_occupant (${row}, lease_id, tenant_id, full_name, position, is_primary, role, move_out_date)
    select ${of("past_occupant_id")}, past_lease_id, tenant_id, full_name, 0, true, 'primary', start_date - 1 from place where n % 2 = 0`,
  `insert into vendor (${row}, name, email, trade, is_active, include1099, portal_status)
    select ${of("vendor_id")}, 'Vendor ' || n % 200, 'vendor' || n % 200 || '@example.com', (array['plumbing', 'electrical', 'roofing', 'cleaning'])[n % 4 + 1], n % 20 > 0, false, 'none'
    from ${eachOnce("vendor_id")}`,
  `insert into work_order (${row}, number, property_id, unit_id, lease_id, tenant_id, vendor_id, title, category, priority, status, source, entry_permission, requested_at,
      due_on, actual_cents, visibility)
    select organization_id, work_order_ids[turn], asked, asked, row_number() over (order by n, turn), property_id, unit_id, lease_id, tenant_id, vendor_id,
      (array['The tap drips', 'No hot water', 'The door does not close', 'A window is broken'])[which % 4 + 1],
      (array['plumbing', 'plumbing', 'structural', 'other'])[which % 4 + 1], (array['low', 'normal', 'normal', 'high'])[which / 4 % 4 + 1],
      case when which % 20 = 3 then 'open' when which % 20 = 13 then 'in_progress' else 'completed' end, 'tenant', 'unknown', asked, (asked + interval '10 days')::date, 0, 'organization_only'
    from (select *, 3 * n + turn as which, made - make_interval(hours => (3 * n + turn) % 8000) as asked
      from place, generate_series(1, 2 + n % 2) turn) work`,
  `insert into work_order_counter select organization_id, count(*) from work_order where organization_id = (select organization_id from place limit 1) group by 1`,
  `insert into search_entry select * from search_source where organization_id = (select organization_id from place limit 1)`,
  ...["property", "owner", "unit", "tenant", "lease", "vendor"].map(
    (list) =>
      `insert into list_total select organization_id, '${list}', 0, count(*) from ${list} where organization_id = (select organization_id from place limit 1) group by 1`,
  ),
];

/** Writes the places of this connection into portfolio's tables. */
export async function fillPortfolio(client: pg.Client): Promise<void> {
  for (const statement of statements) await client.query(statement);
}
