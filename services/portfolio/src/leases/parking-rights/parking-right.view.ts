import type { ParkingRight } from "@freehold/contract/leases/parking-rights";
import type { RecurringChargeRule } from "@freehold/contract/ledger/recurring-charges";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { ParkingRightRow } from "./parking-rights.queries.ts";

/** Returns the API representation of a parking right. A linked recurring charge rule is looked up in `rules`; `currentAmountCents` is its amount on `day`. */
export function parkingRightView(
  { version, scheduleLabel, scheduleAmountCents, ...right }: ParkingRightRow,
  rules: readonly RecurringChargeRule[],
  day: string,
): ParkingRight {
  const rule = rules.find(({ id }) => id === right.recurringChargeRuleId);
  const schedule = right.billingScheduleId !== null && scheduleLabel !== null ? { id: right.billingScheduleId, label: scheduleLabel } : null;
  const linkedCharge: ParkingRight["linkedCharge"] = schedule
    ? { ...schedule, kind: "billing_schedule", currentAmountCents: scheduleAmountCents as Cents | null }
    : rule
      ? { id: rule.id, kind: "recurring_charge_rule", label: rule.label, currentAmountCents: isCharging(rule, day) ? rule.amountCents : null }
      : null;
  return withVersion({ ...right, linkedCharge }, version);
}

const isCharging = ({ status, startDate, endDate }: RecurringChargeRule, day: string): boolean =>
  status === "active" && startDate <= day && (endDate === null || endDate >= day);
