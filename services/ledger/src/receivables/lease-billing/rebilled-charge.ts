import { startOfMonth } from "@freehold/kit/time/plain-date";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { Charge } from "../charges/charge.entity.ts";
import type { NewCharge } from "../charges/post-charges.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import type { NewPeriod } from "./rebilling.rules.ts";

/**
 * Returns the charge of a rebilled period. A charge that replaces a superseded one keeps its late-fee terms.
 */
export function rebilledCharge(rule: RecurringChargeRule, lease: ProjectedLease, period: NewPeriod, superseded: readonly Charge[]): NewCharge {
  const { isPartial, amountCents, dueDate, ...days } = period;
  const part = days.periodStart > startOfMonth(days.periodStart) && days.periodStart !== rule.startDate ? "rest of the month" : "last month";
  const charge: NewCharge = {
    lease,
    amountCents,
    dueDate,
    chargeType: rule.kind,
    categoryId: rule.categoryId,
    name: isPartial ? `${rule.label}, prorated ${part}` : rule.label,
    rule: { id: rule.id, ...days },
  };
  const replaced = superseded.find(
    ({ status, periodStart, periodEnd }) => status !== "voided" && periodStart! <= days.periodEnd && periodEnd! >= days.periodStart,
  );
  if (!replaced) return charge;
  return { ...charge, lateFeeTerms: replaced.lateFeeTerms ?? null };
}
