/** Deterministic leases, tenants, units and properties, with the same ids in both databases. */
import type pg from "pg";
import { months, UNITS_PER_PROPERTY, type Size } from "./sizes.ts";

/** Entity number within a generated id. */
const entityNumbers = { property: 1, unit: 2, tenant: 3, lease: 4, owner: 5, occupant: 6, rule: 7, pastLease: 8, pastOccupant: 9, vendor: 10, workOrder: 11 };

/** Temporary SQL function that builds unique ids in UUIDv7 format, sorted by creation time like the services' ids. */
const idFunction = `create function pg_temp.id_of(created_at timestamptz, kind int, n bigint) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || 'a' || lpad(to_hex(n), 15, '0'))::uuid $$`;

/** Creates the temporary table `lease_seed` of this connection: one row per lease with all related ids. */
export async function createLeaseSeeds(client: pg.Client, organizationId: string, { ordinal, leases }: Size): Promise<void> {
  const [firstMonth] = months() as [string];
  const id = (kind: keyof typeof entityNumbers, n: string) => `pg_temp.id_of(created_at, ${entityNumbers[kind]}, ${ordinal} * 1000000000::bigint + ${n})`;
  const property = `((n - 1) / ${UNITS_PER_PROPERTY} + 1)`;
  await client.query(`drop table if exists pg_temp.lease_seed; drop function if exists pg_temp.id_of; ${idFunction}`);
  await client.query(`create temp table lease_seed as
    select '${organizationId}'::uuid as organization_id, n, ${ordinal} * 1000000000::bigint + n as key, created_at, start_date, (start_date + make_interval(months => 60 + n % 12))::date - 1 as end_date,
      ${property} as property_number, (n - 1) % ${UNITS_PER_PROPERTY} + 1 as unit_number, 100000 + n % 900 * 100 as rent_cents,
      'Tenant ' || initcap(substr(md5(n::text), 1, 8)) as full_name,
      ${id("property", property)} as property_id, ${id("unit", "n")} as unit_id, ${id("tenant", "n")} as tenant_id, ${id("lease", "n")} as lease_id,
      ${id("owner", `((${property} - 1) / 5 + 1)`)} as owner_id, ${id("occupant", "n")} as occupant_id, ${id("rule", "n")} as rule_id,
      ${id("pastLease", "n")} as past_lease_id, ${id("pastOccupant", "n")} as past_occupant_id, ${id("vendor", "(n % 200)")} as vendor_id,
      array[${[0, 1, 2].map((index) => id("workOrder", `(3 * n + ${index})`)).join()}] as work_order_ids
    from (select n, '${firstMonth}'::date - (n * 7919 % 900)::int as start_date, '${firstMonth}'::timestamptz - interval '20 days' as created_at from generate_series(1, ${leases}) n) numbered`);
  await client.query("analyze lease_seed");
}
