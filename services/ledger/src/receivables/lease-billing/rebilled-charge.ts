import { maxDate, minDate, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { Charge } from "../charges/charge.entity.ts";
import type { NewCharge } from "../charges/post-charges.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import type { NewPeriod } from "./rebilling.rules.ts";

/**
 * Returns the charge of a rebilled period. A charge that replaces one of the former charges of the recurring charge keeps what the
 * office agreed for it, which is its due date, name and memo if they differ from those of the recurring charge, and its late-fee
 * terms. A charge for other days of a month is not due before a later day that was agreed for the month.
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

/** Returns the agreed due date of a charge for its days from a day on: days after its first one are not due before they begin. */
const agreedDueDate = ({ dueDate, periodStart }: Charge, from: string): string => (from > periodStart! ? maxDate(dueDate, from) : dueDate);

/** Tells whether a charge is due on the day of its recurring charge, which may lie after its days when it is a part of a month. */
function isRegularDueDate({ dayOfMonth }: RecurringChargeRule, { dueDate, periodStart = null, periodEnd = null }: Charge): boolean {
  const regular = maxDate(withDayOfMonth(startOfMonth(periodStart!), dayOfMonth), periodStart!);
  return dueDate === regular || dueDate === minDate(regular, periodEnd!);
}
