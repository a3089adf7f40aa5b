import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/**
 * Joins superseded charges `s` with the given charges `c` that replace them: charges of the same month and tenancy, posted by the same
 * recurring charge or by the one that continues it (the rent of the lease, or the fee that a renewal took over).
 */
export const joinReplacingCharges = (db: StatementRunner, ids: readonly string[]): RawBuilder<unknown> => sql`
  join charge c on c.organization_id = s.organization_id and c.organization_id = ${db.organizationId} and c.id = any(${[...ids]}::uuid[])
    and date_trunc('month', c.period_start) = date_trunc('month', s.period_start)
  join lease_copy sl on sl.organization_id = s.organization_id and sl.id = s.lease_id
  join lease_copy cl on cl.organization_id = c.organization_id and cl.id = c.lease_id and cl.tenancy_id = sl.tenancy_id
  join recurring_charge_rule sr on sr.organization_id = s.organization_id and sr.id = s.recurring_charge_rule_id
  join recurring_charge_rule cr on cr.organization_id = c.organization_id and cr.id = c.recurring_charge_rule_id
    and (cr.id = sr.id or cr.continues_rule_id = sr.id or (cr.is_lease_rent and sr.is_lease_rent)
      or (cl.id <> sl.id and (cr.is_lease_rent, cr.kind, cr.category_id, cr.label) = (sr.is_lease_rent, sr.kind, sr.category_id, sr.label)))`;
