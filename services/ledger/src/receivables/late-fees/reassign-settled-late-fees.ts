import { today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { Charge } from "../charges/charge.entity.ts";
import type { ChargeRow } from "../charges/charge.view.ts";

/**
 * Reassigns the late fees of voided rent that are not owed any more, or not in full, to the charge of the tenancy that was posted for
 * the same days instead by another recurring charge, as after a renewal or a rent change, so that no month bears a second fee. Other
 * fees of voided rent are voided by `reviewLateFees`.
 */
export async function reassignSettledLateFees(tx: OrgTx, timezone: string, posted: readonly ChargeRow[]): Promise<void> {
  // Rent of days to come replaces none that bears a late fee.
  const begun = posted.filter(({ chargeType, periodStart }) => chargeType === "rent" && periodStart !== null && periodStart < today(timezone));
  if (begun.length === 0) return;
  const rows = await tx.all(sql<{ id: string; chargeId: string }>`
    select distinct on (c.id, f.late_fee_kind, f.late_fee_day_index) f.id, c.id as charge_id from charge c
      join recurring_charge_rule cr on cr.organization_id = c.organization_id and cr.id = c.recurring_charge_rule_id
      join lease_copy cl on cl.organization_id = c.organization_id and cl.id = c.lease_id
      join lease_copy sl on sl.organization_id = cl.organization_id and sl.tenancy_id = cl.tenancy_id
      join charge s on s.organization_id = sl.organization_id and s.lease_id = sl.id and s.status = 'voided' and s.late_fee_terms is not null
        and s.period_start between c.period_start and c.period_end
      join recurring_charge_rule sr on sr.organization_id = s.organization_id and sr.id = s.recurring_charge_rule_id
        and (sr.id = cr.id or (sr.is_lease_rent and cr.is_lease_rent))
      join charge f on f.organization_id = s.organization_id and f.late_fee_for_charge_id = s.id and not f.is_superseded
        and (f.balance_cents = 0 or f.allocated_cents > 0)
    where c.organization_id = ${tx.organizationId} and c.id = any(${begun.map(({ id }) => id)}::uuid[]) and c.late_fee_terms is not null
      and not exists (select from charge other where other.organization_id = c.organization_id and other.late_fee_for_charge_id = c.id
        and other.late_fee_kind = f.late_fee_kind and other.late_fee_day_index = f.late_fee_day_index and not other.is_superseded)
    order by c.id, f.late_fee_kind, f.late_fee_day_index, f.amount_cents desc, f.id`);
  const chargeIds = new Map(rows.map(({ id, chargeId }) => [id, chargeId]));
  const fees = await tx.findAllForUpdate(Charge, [...chargeIds.keys()]);
  for (const fee of fees) tx.assign(fee, { lateFeeForChargeId: chargeIds.get(fee.id)! });
  await tx.flush();
}
