import { describe, expect, test } from "@jest/globals";
import { chargeDayChange } from "./charge-day.rules.ts";
import type { RuleTerms } from "./recurring-charge.rules.ts";

const rent = (change: Partial<RuleTerms>): RuleTerms => ({
  amountCents: 100_000,
  dayOfMonth: 1,
  startDate: "2026-01-01",
  endDate: null,
  postFrom: "2026-01-01",
  isLeaseRent: true,
  proratesFirstMonth: true,
  ...change,
});
const options = { method: "actual_days" as const, today: "2026-02-10", isActive: true };

describe("chargeDayChange", () => {
  test("keeps postFrom when the same month is the next to charge", () => {
    expect(chargeDayChange(rent({}), 15, ["2026-01-01", "2026-02-01"], options)).toEqual({ postFrom: "2026-01-01", chargedFirst: undefined });
  });

  test("charges a month with its previous due date when it is due today or later and by the changed day would be due before today", () => {
    const { postFrom, chargedFirst } = chargeDayChange(rent({ dayOfMonth: 28 }), 1, ["2026-01-01"], options);
    expect([postFrom, chargedFirst?.dueDate]).toEqual(["2026-01-01", "2026-02-28"]);
    expect(chargeDayChange(rent({ dayOfMonth: 28 }), 10, ["2026-01-01"], options).chargedFirst).toBeUndefined();
    expect(chargeDayChange(rent({ dayOfMonth: 28 }), 1, ["2026-01-01"], { ...options, isActive: false }).chargedFirst).toBeUndefined();
  });

  test("neither charges a month that was skipped nor loses the next one", () => {
    expect(chargeDayChange(rent({ postFrom: "2026-02-10" }), 28, [], options).postFrom).toBe("2026-03-01");
    expect(chargeDayChange(rent({ postFrom: "2026-02-10", dayOfMonth: 28 }), 5, [], options)).toMatchObject({
      postFrom: "2026-02-01",
      chargedFirst: { dueDate: "2026-02-28" },
    });
  });

  test("keeps postFrom when the rule has charged its last month", () => {
    expect(chargeDayChange(rent({ endDate: "2026-01-31" }), 15, ["2026-01-01"], options).postFrom).toBe("2026-01-01");
  });
});
