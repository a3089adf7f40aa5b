import { expect, test } from "@jest/globals";
import { prorate } from "../recurring-charges/proration.rules.ts";
import { rebill } from "./rebilling.rules.ts";

// January ended on the 30th and is extended to the 31st.
test("both parts of a month cost its rent to the cent, also near the largest safe integer", () => {
  const amountCents = 9_007_199_254_740_893;
  const rule = { amountCents, dayOfMonth: 1, startDate: "2026-01-01", endDate: null, postFrom: "2026-01-01", isLeaseRent: true, proratesFirstMonth: true };
  const firstCents = prorate("actual_days", amountCents, "2026-01-01", "2026-01-30");
  const first = { id: "first", periodStart: "2026-01-01", periodEnd: "2026-01-30", dueDate: "2026-01-01", amountCents: firstCents };
  const options = { method: "actual_days" as const, today: "2026-01-31", postsDuePeriods: true, comparesTerms: false };
  const { newPeriods } = rebill(rule, [{ ...first, isReplaceable: true, isOfLease: true }], options);
  expect(newPeriods.map((period) => period.amountCents)).toEqual([amountCents - firstCents]);
});
