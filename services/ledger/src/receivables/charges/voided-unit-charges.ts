/** Voided charges of recurring charges on units: their periods may be charged to another tenancy, but not to the same one again. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Charge of a recurring charge on a unit that the office voided. */
export interface VoidedUnitCharge {
  id: string;
  ruleId: string;
  periodStart: string;
  /** Leases of the tenancy whose charge was voided. */
  leaseIds: string[];
}

/** Returns the voided charges of recurring charges on units by `ruleId periodStart`, without those that were superseded. */
export async function findVoidedUnitCharges(db: StatementRunner, unitRuleIds: readonly string[]): Promise<Map<string, VoidedUnitCharge>> {
  if (unitRuleIds.length === 0) return new Map();
  const charges = await db.all(sql<VoidedUnitCharge>`select c.id, c.recurring_charge_rule_id as rule_id, c.period_start,
      array(select l.id::text from lease_copy charged join lease_copy l on l.organization_id = charged.organization_id and l.tenancy_id = charged.tenancy_id
        where charged.organization_id = c.organization_id and charged.id = c.lease_id) as lease_ids
    from charge c where c.organization_id = ${db.organizationId} and c.recurring_charge_rule_id = any(${[...unitRuleIds]}::uuid[])
      and c.status = 'voided' and not c.is_superseded`);
  return new Map(charges.map((charge) => [`${charge.ruleId} ${charge.periodStart}`, charge]));
}

/** Supersedes voided charges whose periods are charged to another tenancy. */
export async function supersedeVoidedCharges(tx: OrgTx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.all(sql`update charge set is_superseded = true, updated_at = ${now()}, version = version + 1 where organization_id = ${tx.organizationId}
    and id in (select id from charge where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[]) order by id for update)`);
}
