import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** What a lease `l` is scheduled to pay as base rent on a day, by the month; null when no step of base rent says so. */
export const scheduledBaseRent = (day: RawBuilder<unknown>) => sql<
  number | null
>`(select round(s.amount_cents / case b.frequency when 'monthly' then 1.0 when 'quarterly' then 3 else 12 end)::bigint
  from billing_schedule b join billing_step s on s.organization_id = b.organization_id and s.schedule_id = b.id
  where b.organization_id = l.organization_id and b.lease_id = l.id and b.charge_type = 'base_rent' and b.deleted_at is null
    and s.start_date <= ${day} and (s.end_date is null or s.end_date >= ${day}) limit 1)`;
