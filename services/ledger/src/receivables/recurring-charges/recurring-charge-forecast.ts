/** Forecast of a recurring charge: the charges of the coming months, posted or not. */
import { LAST_DATE } from "@freehold/contract/values";
import type { recurringCharges } from "@freehold/contract/ledger/recurring-charges";
import type { Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { addMonths, endOfMonth, maxDate, minDate, startOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { findMonthsOfContinuedFees } from "./continued-fees.queries.ts";
import { duePeriods, isAfterUpcomingLeaseEnd, type RuleTerms } from "./recurring-charge.rules.ts";

type Forecast = Output<typeof recurringCharges.operations.getRecurringChargeForecast>["forecast"];

/**
 * Returns the posted and the upcoming charges of a rule for a number of months, starting with the current month or, if later, with
 * the month in which the rule starts. Upcoming charges of a lease's fee end with the lease. A draft or paused rule is forecast as if
 * it were active; an ended rule has no upcoming charges.
 */
export async function getRecurringChargeForecast(db: OrgDb, id: string, months: number): Promise<{ forecast: Forecast }> {
  const { timezone, policies } = await getLedgerSettings(db);
  const rule = await db.first(sql<RuleTerms & { status: string; leaseEnd: string | null }>`
    select r.status, r.amount_cents, r.day_of_month, r.start_date, r.end_date, r.post_from, r.is_lease_rent or r.is_rent_part as is_lease_rent, r.prorates_first_month,
      case when not (r.is_lease_rent or r.is_rent_part) then l.end_date end as lease_end
    from recurring_charge_rule r left join lease_copy l on l.organization_id = r.organization_id and l.id = r.lease_id
    where r.organization_id = ${db.organizationId} and r.id = ${id} and r.deleted_at is null`);
  if (!rule) throw notFound("Recurring charge");
  const from = startOfMonth(maxDate(today(timezone), rule.startDate));
  const through = minDate(endOfMonth(addMonths(from, months - 1)), LAST_DATE);
  const posted = await db.all(sql<Omit<Forecast[number], "alreadyPosted">>`
    select period_start, due_date, amount_cents, id as charge_id from charge
    where organization_id = ${db.organizationId} and recurring_charge_rule_id = ${id} and not is_superseded and period_start between ${from} and ${through}`);
  const charged = new Set((await findMonthsOfContinuedFees(db, [id])).get(id));
  const isUnposted = ({ periodStart, dueDate }: { periodStart: string; dueDate: string }) =>
    periodStart >= from && !posted.some((charge) => charge.periodStart === periodStart) && !isAfterUpcomingLeaseEnd(dueDate, rule.leaseEnd, today(timezone));
  const upcoming = rule.status === "ended" ? [] : duePeriods(rule, through, policies.prorationMethod, charged).filter(isUnposted);
  const forecast = [
    ...posted.map((charge) => ({ ...charge, alreadyPosted: true })),
    ...upcoming.map(({ periodStart, dueDate, amountCents }) => ({
      periodStart,
      dueDate,
      amountCents: amountCents as Forecast[number]["amountCents"],
      alreadyPosted: false,
      chargeId: null,
    })),
  ];
  return { forecast: forecast.toSorted((a, b) => (a.periodStart < b.periodStart ? -1 : 1)) };
}
