/** Periods of the active recurring charges of leases that are not charged yet. */
import type { Policies } from "@freehold/contract/identity/accounts";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { addMonths, endOfMonth } from "@freehold/kit/time/plain-date";
import { duePeriods, type DuePeriod, type RuleTerms } from "../recurring-charges/recurring-charge.rules.ts";

interface UnchargedPeriods {
  leaseId: string;
  dueDates: DuePeriod[];
}

/** Returns the uncharged periods of each recurring charge `r` that meets a condition, latest start first, up to two months ahead of a day. */
export async function findUnchargedPeriods(
  db: OrgDb,
  leaseIds: readonly string[],
  day: string,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<UnchargedPeriods[]> {
  const rules = await db.all(sql<RuleTerms & { leaseId: string; chargedPeriods: string[] | null; prorationMethod: Policies["prorationMethod"] }>`
    select (select b.policies ->> 'prorationMethod' from book b where b.organization_id = ${db.organizationId}) as proration_method, r.lease_id, r.amount_cents, r.day_of_month, r.start_date, r.end_date, r.post_from, r.is_lease_rent or r.is_rent_part as is_lease_rent, r.prorates_first_month,
      (select array_agg(c.period_start::text) from charge c where c.organization_id = r.organization_id and c.recurring_charge_rule_id = r.id and not c.is_superseded) as charged_periods
    from recurring_charge_rule r where r.organization_id = ${db.organizationId} and r.lease_id = any(${[...leaseIds]}::uuid[]) and ${condition} and r.status = 'active'
    order by r.start_date desc`);
  return rules.map(({ leaseId, chargedPeriods, prorationMethod, ...rule }) => {
    const throughDate = endOfMonth(addMonths(rule.startDate > day ? rule.startDate : day, 2));
    return { leaseId, dueDates: duePeriods(rule, throughDate, prorationMethod, new Set(chargedPeriods)) };
  });
}
