/** Fees of a renewal and the fees of the leases before it that they continue. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/**
 * Returns the first days of the months that recurring charges leave out, by the id of the recurring charge: months that a fee which they
 * continue has charged already, even if the office voided that charge.
 */
export async function findMonthsOfContinuedFees(db: StatementRunner, ruleIds: readonly string[]): Promise<Map<string, string[]>> {
  if (ruleIds.length === 0) return new Map();
  const rows = await db.all(sql<{ ruleId: string; periodStart: string }>`
    with recursive continued as (
      select id as rule_id, start_date, continues_rule_id as id from recurring_charge_rule
        where organization_id = ${db.organizationId} and id = any(${[...ruleIds]}::uuid[]) and continues_rule_id is not null
      union select c.rule_id, c.start_date, r.continues_rule_id from continued c
        join recurring_charge_rule r on r.organization_id = ${db.organizationId} and r.id = c.id where r.continues_rule_id is not null)
    select distinct continued.rule_id, c.period_start from continued
      join charge c on c.organization_id = ${db.organizationId} and c.recurring_charge_rule_id = continued.id
    where not c.is_superseded and c.period_start >= date_trunc('month', continued.start_date)`);
  return new Map([...Map.groupBy(rows, ({ ruleId }) => ruleId)].map(([ruleId, months]) => [ruleId, months.map(({ periodStart }) => periodStart)]));
}
