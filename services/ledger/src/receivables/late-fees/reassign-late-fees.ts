import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";

/**
 * Reassigns the late fees of superseded rent to the charges that replace it, so that no day bears a second fee: those that were paid
 * or credited in part, and those that the office voided. Unpaid fees stay with the superseded charge, and `reviewLateFees` voids
 * them, because their amount may depend on the rent. The fees are locked.
 */
export async function reassignLateFees(tx: OrgTx, replacementIds: ReadonlyMap<string, string>): Promise<void> {
  if (replacementIds.size === 0) return;
  await tx.all(sql`update charge fee set late_fee_for_charge_id = moved.replacement_id, updated_at = ${now()}, version = fee.version + 1
    from (select distinct on (input.replacement_id, f.late_fee_kind, f.late_fee_day_index) f.id, input.replacement_id
      from unnest(${[...replacementIds.keys()]}::uuid[], ${[...replacementIds.values()]}::uuid[]) as input (charge_id, replacement_id)
        join charge f on f.organization_id = ${tx.organizationId} and f.late_fee_for_charge_id = input.charge_id and not f.is_superseded and f.status <> 'pending'
      order by input.replacement_id, f.late_fee_kind, f.late_fee_day_index, f.id) moved
    where fee.organization_id = ${tx.organizationId} and fee.id = moved.id`);
}
