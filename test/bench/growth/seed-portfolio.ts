/**
 * Seeds the portfolio of an organization: properties of twenty units, each unit leased to its own tenant, every second one
 * with an expired previous lease, and five work orders per two units, one in ten of them open or in progress.
 */
import type pg from "pg";

const baseColumns = "organization_id, id, created_at, updated_at";
const baseValues = (id: string) => `organization_id, ${id}, created_at, created_at`;
const firstSeedPer = (id: string) => `(select distinct on (${id}) * from lease_seed order by ${id}, n) lease_seed`;

const statements = [
  `insert into property (${baseColumns}, name, street_line1, city, state, postal_code, asset_class, units, occupied_units, deposit_deadline_days)
    select ${baseValues("property_id")}, 'House ' || property_number, property_number || ' Elm Street', 'Albany', 'NY', '12207', 'residential', count, count, 30
    from ${firstSeedPer("property_id")} join (select property_id, count(*)::int from lease_seed group by 1) counted using (property_id)`,
  `insert into owner (${baseColumns}, full_name, email, is_active, include1099, payout_method, hold_payouts, statement_deliver, portal_status)
    select ${baseValues("owner_id")}, 'Owner ' || n, 'owner' || n || '@example.com', true, false, 'ach', false, 'email', 'none' from ${firstSeedPer("owner_id")}`,
  `insert into property_owner (organization_id, property_id, owner_id, position) select organization_id, property_id, owner_id, 0 from ${firstSeedPer("property_id")}`,
  `insert into unit (${baseColumns}, property_id, unit_number, unit_type, bedrooms, monthly_rent_cents, status, amenities)
    select ${baseValues("unit_id")}, property_id, unit_number::text, 'residential', 2, rent_cents, 'occupied', '{}' from lease_seed`,
  `insert into tenant (${baseColumns}, full_name, email, phone, preferred_language, portal_status)
    select ${baseValues("tenant_id")}, full_name, 'tenant' || n || '@example.com', '+1518' || lpad(n::text, 7, '0'), 'en', 'none' from lease_seed`,
  `insert into lease (${baseColumns}, property_id, unit_id, tenant_id, status, lease_kind, term_type, start_date, end_date, rent_cents, rent_charge_day, late_fee_type,
      co_tenants_jointly_liable, deposit_required_cents, prorate_first_month, create_recurring_rent)
    select ${baseValues("lease_id")}, property_id, unit_id, tenant_id, 'active', 'residential', 'fixed', start_date, end_date, rent_cents, 1, 'none', true, rent_cents, true, true from lease_seed`,
  `insert into lease_occupant (${baseColumns}, lease_id, tenant_id, full_name, position, is_primary, role)
    select ${baseValues("occupant_id")}, lease_id, tenant_id, full_name, 0, true, 'primary' from lease_seed`,
  `insert into lease (${baseColumns}, property_id, unit_id, tenant_id, status, lease_kind, term_type, start_date, end_date, rent_cents, rent_charge_day, late_fee_type,
      co_tenants_jointly_liable, deposit_required_cents, prorate_first_month, create_recurring_rent, superseded_from)
    select ${baseValues("past_lease_id")}, property_id, unit_id, tenant_id, 'expired', 'residential', 'fixed', start_date - 366, start_date - 1, rent_cents - 5000, 1, 'none', true, 0, true, true,
      start_date from lease_seed where n % 2 = 0`,
  `insert into lease_occupant (${baseColumns}, lease_id, tenant_id, full_name, position, is_primary, role, move_out_date)
    select ${baseValues("past_occupant_id")}, past_lease_id, tenant_id, full_name, 0, true, 'primary', start_date - 1 from lease_seed where n % 2 = 0`,
  `insert into vendor (${baseColumns}, name, email, trade, is_active, include1099, is_email_self_reported, is_phone_self_reported, portal_status)
    select ${baseValues("vendor_id")}, 'Vendor ' || n % 200, 'vendor' || n % 200 || '@example.com', (array['plumbing', 'electrical', 'roofing', 'cleaning'])[n % 4 + 1], n % 20 > 0, false, false, false, 'none'
    from ${firstSeedPer("vendor_id")}`,
  `insert into work_order (${baseColumns}, number, property_id, unit_id, lease_id, tenant_id, vendor_id, title, category, priority, status, source, entry_permission, requested_at,
      due_on, actual_cents, visibility)
    select organization_id, work_order_ids[seq_in_lease], requested, requested, row_number() over (order by n, seq_in_lease), property_id, unit_id, lease_id, tenant_id, vendor_id,
      (array['The tap drips', 'No hot water', 'The door does not close', 'A window is broken'])[work_order_index % 4 + 1],
      (array['plumbing', 'plumbing', 'structural', 'other'])[work_order_index % 4 + 1], (array['low', 'normal', 'normal', 'high'])[work_order_index / 4 % 4 + 1],
      case when work_order_index % 20 = 3 then 'open' when work_order_index % 20 = 13 then 'in_progress' else 'completed' end, 'tenant', 'unknown', requested, (requested + interval '10 days')::date, 0, 'organization_only'
    from (select *, 3 * n + seq_in_lease as work_order_index, created_at - make_interval(hours => (3 * n + seq_in_lease) % 8000) as requested
      from lease_seed, generate_series(1, 2 + n % 2) seq_in_lease) work`,
  `insert into work_order_counter select organization_id, count(*) from work_order where organization_id = (select organization_id from lease_seed limit 1) group by 1`,
  `insert into search_entry select * from search_source where organization_id = (select organization_id from lease_seed limit 1)`,
  ...["property", "owner", "unit", "tenant", "lease", "vendor"].map(
    (list) =>
      `insert into list_total select organization_id, '${list}', 0, count(*) from ${list} where organization_id = (select organization_id from lease_seed limit 1) group by 1`,
  ),
];

/** Inserts the lease seeds of this connection into the portfolio tables. */
export async function seedPortfolio(client: pg.Client): Promise<void> {
  for (const statement of statements) await client.query(statement);
}
