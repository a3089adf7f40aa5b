import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";

type Row = { [K in keyof Lease]: Lease[K] | null };

/** What the ledger needs to know of leases; unknown and foreign ids are left out. */
export async function leasesForLedger(db: StatementRunner, ids: readonly string[]): Promise<Lease[]> {
  if (ids.length === 0) return [];
  const rows =
    await db.all(sql<Row>`select l.id, l.version, l.property_id, l.unit_id, l.tenant_id, l.status, l.start_date, l.end_date, l.rent_cents, l.rent_charge_day,
      l.create_recurring_rent, l.prorate_first_month, l.renewed_from_lease_id, l.deposit_required_cents, l.bill_from,
      case when l.status = 'expired' then l.end_date
        else least(l.superseded_from - 1, case when l.term_type = 'fixed' then l.end_date end) end as billed_until, l.termination_date, l.final_rent, l.termination_fee_cents,
      (select coalesce(json_agg(json_build_object('id', r.id, 'effectiveDate', r.effective_date, 'rentCents', r.rent_cents, 'previousRentCents', r.previous_rent_cents)
        order by r.effective_date), '[]'::json) from rent_change r
        where r.organization_id = l.organization_id and r.lease_id = l.id and r.deleted_at is null) as rent_changes,
      (select coalesce(json_agg(c.tenant_id order by c.is_primary desc, c.position), '[]'::json) from lease_occupant c
        where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id is not null and c.removed_at is null
          and (c.is_primary or (c.role = 'co_tenant' and c.released_on is null))) as payer_ids
    from lease l where l.organization_id = ${db.organizationId} and l.id = any(${[...ids]}::uuid[]) and l.deleted_at is null`);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as Lease);
}
