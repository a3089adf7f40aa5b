/** Parts of months to which an agreement applies within a period. */
import type { ManagementFeeAgreement } from "@freehold/contract/payables/management-fees";
import { daysBetween, daysInMonth, endOfMonth, maxDate, minDate, monthsBetween } from "@freehold/kit/time/plain-date";
import type { Share } from "./fee.rules.ts";

export interface Period {
  periodStart: string;
  periodEnd: string;
}

/** Days of a month in the period on which an agreement applies. */
export interface Segment extends Share {
  /** First day of the month. */
  month: string;
  from: string;
  to: string;
}

/** Returns the segments of an agreement, one for each month of the period in which it applies. */
export function segmentsOf({ effectiveFrom, effectiveTo }: Pick<ManagementFeeAgreement, "effectiveFrom" | "effectiveTo">, period: Period): Segment[] {
  return monthsBetween(period.periodStart, period.periodEnd).flatMap((month) => {
    const from = maxDate(maxDate(period.periodStart, month), effectiveFrom);
    const to = minDate(minDate(period.periodEnd, endOfMonth(month)), effectiveTo ?? period.periodEnd);
    return from <= to ? [{ month, from, to, days: daysBetween(from, to) + 1, daysInMonth: daysInMonth(month) }] : [];
  });
}
