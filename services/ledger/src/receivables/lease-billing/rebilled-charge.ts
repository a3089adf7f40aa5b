import { maxDate, minDate, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { Charge } from "../charges/charge.entity.ts";
import type { NewCharge } from "../charges/post-charges.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import type { NewPeriod } from "./rebilling.rules.ts";

/**
 * Returns the charge of a rebilled period. A charge that replaces a former charge of the recurring charge keeps the late-fee terms of
 * that charge, and the due date, name and memo that the office set. A charge for other days of a month is not due before a later due
 * date that the office set for the month.
 */
export function rebilledCharge(rule: RecurringChargeRule, lease: ProjectedLease, period: NewPeriod, former: readonly Charge[]): NewCharge {
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
  const ofMonth = former.filter(({ status, periodStart }) => status !== "voided" && startOfMonth(periodStart!) === startOfMonth(days.periodStart));
  const replaced = ofMonth.find(({ periodStart, periodEnd }) => periodStart! <= days.periodEnd && periodEnd! >= days.periodStart);
  const agreed = ofMonth.filter((other) => !isRegularDueDate(rule, other));
  if (!replaced) return { ...charge, dueDate: agreed.map((other) => other.dueDate).reduce(maxDate, dueDate) };
  return {
    ...charge,
    lateFeeTerms: replaced.lateFeeTerms ? { firstPostedAt: replaced.postedAt.toISOString(), ...replaced.lateFeeTerms } : null,
    ...(replaced.memo && { memo: replaced.memo }),
    ...(!isGeneratedName(rule, replaced.name) && { name: replaced.name }),
    ...(agreed.includes(replaced) && { dueDate: agreedDueDate(replaced, days.periodStart) }),
  };
}

const isGeneratedName = ({ label }: RecurringChargeRule, name: string): boolean => name === label || name.startsWith(`${label}, prorated `);

/** Returns the agreed due date for the part of a charge from a day on. A part that starts after the charge is not due before its start. */
const agreedDueDate = ({ dueDate, periodStart }: Charge, from: string): string => (from > periodStart! ? maxDate(dueDate, from) : dueDate);

/** Returns true if a charge is due on the charge day of its recurring charge, or, with that day outside its period, on its first or last day. */
function isRegularDueDate({ dayOfMonth }: RecurringChargeRule, { dueDate, periodStart = null, periodEnd = null }: Charge): boolean {
  const regular = maxDate(withDayOfMonth(startOfMonth(periodStart!), dayOfMonth), periodStart!);
  return dueDate === regular || dueDate === minDate(regular, periodEnd!);
}
