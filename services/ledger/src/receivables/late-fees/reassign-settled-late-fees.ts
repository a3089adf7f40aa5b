import { today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { Charge } from "../charges/charge.entity.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { transactionConflict } from "@freehold/kit/db/database-error";
import { releaseCredits } from "../credits/carry-credits.ts";
import { firstLateFeeDay } from "./late-fee.queries.ts";
import { isUnpaid } from "./late-fee.rules.ts";
import { supersedeLateFee } from "./supersede-late-fee.ts";

const REASON = "The rent was replaced, and its late fees are assessed again.";

/**
 * Reassigns the late fees of voided rent that are settled in part or in full, or voided, to the charge that was posted for the same days
 * of the tenancy instead, as after a renewal or a rent change, so that no month bears a second fee. Daily fees keep their days. The unpaid fees of the voided rent
 * are superseded: the posted charge is assessed for their days, less what was waived.
 */
export async function reassignSettledLateFees(tx: OrgTx, timezone: string, posted: readonly ChargeRow[]): Promise<void> {
  // Rent of future days replaces no rent that bears a late fee.
  const begun = posted.filter(({ chargeType, periodStart }) => chargeType === "rent" && periodStart !== null && periodStart < today(timezone));
  if (begun.length === 0) return;
  const rows = await tx.all(sql<{ id: string; chargeId: string; dayIndex: number; isUnpaid: boolean; isFirst: boolean }>`
    select f.id, c.id as charge_id, fee.day_index, unpaid.is_unpaid,
      row_number() over (partition by c.id, f.late_fee_kind, fee.day_index, unpaid.is_unpaid order by f.amount_cents desc, f.id) = 1
        and not exists (select from charge other where other.organization_id = c.organization_id and other.late_fee_for_charge_id = c.id
          and other.late_fee_kind = f.late_fee_kind and other.late_fee_day_index = fee.day_index and not other.is_superseded) as is_first
    from charge c
      join recurring_charge_rule cr on cr.organization_id = c.organization_id and cr.id = c.recurring_charge_rule_id
      join lease_copy cl on cl.organization_id = c.organization_id and cl.id = c.lease_id
      join lease_copy sl on sl.organization_id = cl.organization_id and sl.tenancy_id = cl.tenancy_id
      join charge s on s.organization_id = sl.organization_id and s.lease_id = sl.id and s.status = 'voided' and s.late_fee_terms is not null
        and s.period_start between c.period_start and c.period_end
      join recurring_charge_rule sr on sr.organization_id = s.organization_id and sr.id = s.recurring_charge_rule_id
        and (sr.id = cr.id or (sr.is_lease_rent and cr.is_lease_rent))
      join charge f on f.organization_id = s.organization_id and f.late_fee_for_charge_id = s.id and not f.is_superseded
      cross join lateral (select f.balance_cents > 0 and f.allocated_cents = 0 as is_unpaid) unpaid
      cross join lateral (select case f.late_fee_kind when 'daily' then f.late_fee_assessed_for - ${firstLateFeeDay} else f.late_fee_day_index end as day_index) fee
    where c.organization_id = ${tx.organizationId} and c.id = any(${begun.map(({ id }) => id)}::uuid[]) and c.late_fee_terms is not null`);
  const found = new Map(rows.map((row) => [row.id, row]));
  const fees = await tx.findAllForUpdate(Charge, [...found.keys()]);
  const isChanged = (fee: Charge) => fee.isSuperseded || isUnpaid(fee) !== found.get(fee.id)!.isUnpaid;
  if (fees.some(isChanged)) throw transactionConflict("A late fee was paid or superseded before it was locked.");
  const unpaid = fees.filter(isUnpaid);
  await releaseCredits(tx, timezone, unpaid);
  // Dated the day of the fee, as if it had not been assessed.
  for (const fee of unpaid) await supersedeLateFee(tx, timezone, fee, REASON, fee.dueDate);
  for (const fee of fees) {
    const { chargeId, dayIndex, isFirst } = found.get(fee.id)!;
    if (!unpaid.includes(fee) && isFirst) tx.assign(fee, { lateFeeForChargeId: chargeId, lateFeeDayIndex: dayIndex });
  }
  await tx.flush();
}
