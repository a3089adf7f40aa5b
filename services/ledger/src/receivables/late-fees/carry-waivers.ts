import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { Charge } from "../charges/charge.entity.ts";
import { applyCarriedCredits } from "../credits/carry-credits.ts";
import { ChargeCredit } from "../credits/charge-credit.entity.ts";

/**
 * Carries the waivers of superseded late fees to the late fees that were posted for the same days instead, of the same rent or of the
 * rent that replaces it.
 */
export async function carryWaivers(tx: OrgTx, timezone: string, chart: Chart, ids: readonly string[]): Promise<void> {
  const pairs = await tx.all(sql<{ feeId: string; creditId: string }>`select f.id as fee_id, k.id as credit_id from charge_credit k
      join charge o on o.organization_id = k.organization_id and o.id = k.charge_id and o.is_superseded
      join charge f on f.organization_id = o.organization_id and f.id = any(${[...ids]}::uuid[])
        and f.late_fee_kind = o.late_fee_kind and f.late_fee_day_index = o.late_fee_day_index
      join charge s on s.organization_id = o.organization_id and s.id = o.late_fee_for_charge_id
      join charge c on c.organization_id = f.organization_id and c.id = f.late_fee_for_charge_id
      left join recurring_charge_rule sr on sr.organization_id = s.organization_id and sr.id = s.recurring_charge_rule_id
      left join recurring_charge_rule cr on cr.organization_id = c.organization_id and cr.id = c.recurring_charge_rule_id
      left join lease_copy sl on sl.organization_id = s.organization_id and sl.id = s.lease_id
      left join lease_copy cl on cl.organization_id = c.organization_id and cl.id = c.lease_id
    where k.organization_id = ${tx.organizationId} and k.carryable_cents > 0 and (s.id = c.id or (s.status = 'voided' and cl.tenancy_id = sl.tenancy_id
      and s.period_start between c.period_start and c.period_end and (cr.id = sr.id or (cr.is_lease_rent and sr.is_lease_rent))))
    order by f.id, k.created_at, k.id`);
  if (pairs.length === 0) return;
  const fees = await tx.findAllForUpdate(Charge, [...new Set(pairs.map(({ feeId }) => feeId))]);
  const credits = await tx.findAllForUpdate(ChargeCredit, [...new Set(pairs.map(({ creditId }) => creditId))]);
  for (const fee of fees) {
    const carried = pairs.filter(({ feeId }) => feeId === fee.id).map(({ creditId }) => credits.find(({ id }) => id === creditId)!);
    await applyCarriedCredits(tx, timezone, chart, fee, carried);
  }
  await tx.flush();
}
