/** Late fees of a month whose rent is charged by another recurring charge of the tenancy, as after a renewal or a rent change. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { ChargeLateFeeTerms } from "./late-fee.rules.ts";

/** Rent to post, by its recurring charge. */
export interface RentToPost {
  ruleId: string;
  leaseId: string;
  periodStart: string;
  periodEnd: string;
}

/** Voided rent of the same days that bore a late fee. */
export interface ReplacedRent {
  /** Time at which the voided rent was first posted. */
  firstPostedAt: string;
  /** True when a charge for earlier days of the month keeps the late fee, so that the month bears no second one. */
  isFeeKept: boolean;
}

/** Returns the voided rent with a late fee that each rent to post replaces, by `replacedRentKey`. */
export async function findReplacedRent(db: StatementRunner, rents: readonly RentToPost[]): Promise<Map<string, ReplacedRent>> {
  if (rents.length === 0) return new Map();
  const rows = await db.all(sql<ReplacedRent & RentToPost>`
    select input."ruleId" as rule_id, input."periodStart" as period_start,
      to_char(min(coalesce((s.late_fee_terms ->> 'firstPostedAt')::timestamptz, s.posted_at)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first_posted_at,
      bool_or(not f.is_superseded and r.status <> 'voided' and r.period_end < input."periodStart") as is_fee_kept
    from jsonb_to_recordset(${JSON.stringify(rents)}::jsonb) as input ("ruleId" uuid, "leaseId" uuid, "periodStart" date, "periodEnd" date)
      join recurring_charge_rule cr on cr.organization_id = ${db.organizationId} and cr.id = input."ruleId" and cr.is_lease_rent
      join lease_copy cl on cl.organization_id = cr.organization_id and cl.id = input."leaseId"
      join lease_copy sl on sl.organization_id = cl.organization_id and sl.tenancy_id = cl.tenancy_id
      join charge s on s.organization_id = sl.organization_id and s.lease_id = sl.id and s.status = 'voided' and s.late_fee_terms is not null
        and s.period_start <= input."periodEnd" and s.period_end >= input."periodStart"
      join recurring_charge_rule sr on sr.organization_id = s.organization_id and sr.id = s.recurring_charge_rule_id and sr.is_lease_rent and sr.id <> cr.id
      join charge r on r.organization_id = s.organization_id and r.recurring_charge_rule_id = s.recurring_charge_rule_id
        and date_trunc('month', r.period_start) = date_trunc('month', s.period_start)
      join charge f on f.organization_id = r.organization_id and f.late_fee_for_charge_id = r.id and f.posted_at < s.voided_at
    group by 1, 2`);
  return new Map(rows.map(({ ruleId, periodStart, firstPostedAt, isFeeKept }) => [replacedRentKey(ruleId, periodStart), { firstPostedAt, isFeeKept }]));
}

/** Returns the key of a rent to post in the result of `findReplacedRent`. */
export const replacedRentKey = (ruleId: string, periodStart: string): string => `${ruleId} ${periodStart}`;

/** Returns the late-fee terms of rent that replaces other rent: as if posted with that rent, or null when another charge keeps the fee. */
export const inheritedTerms = (terms: ChargeLateFeeTerms | null, { firstPostedAt, isFeeKept }: ReplacedRent): ChargeLateFeeTerms | null =>
  terms && !isFeeKept ? { ...terms, firstPostedAt } : null;
