import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addDays, addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { duePeriods, type RuleTerms } from "./recurring-charge.rules.ts";
import { changeStart, nextMonthToCharge, requireEndAfterPosted } from "./rule-change.rules.ts";

const rule = (changes: Partial<RuleTerms> = {}): RuleTerms => ({
  amountCents: 5_000,
  dayOfMonth: 1,
  startDate: "2026-01-01",
  endDate: null,
  postFrom: "2026-01-01",
  isLeaseRent: false,
  proratesFirstMonth: false,
  ...changes,
});

describe("nextMonthToCharge", () => {
  test.each([
    ["2026-01-01", 1, [], "2026-01-01"],
    ["2026-01-15", 1, [], "2026-02-01"],
    ["2026-01-15", 20, [], "2026-01-01"],
    ["2026-01-31", 31, [], "2026-01-01"],
    ["2026-01-01", 1, ["2026-01-01", "2026-03-01", "2026-02-01"], "2026-04-01"],
  ])("of a rule from %s on day %i after %j is %s", (startDate, dayOfMonth, charged, expected) => {
    expect(nextMonthToCharge(rule({ startDate, postFrom: startDate, dayOfMonth }), charged)).toBe(expected);
  });
});

describe("changeStart", () => {
  test.each([
    [undefined, "2026-03-01", false],
    ["2026-03-01", "2026-03-01", false],
    ["2026-02-15", "2026-03-01", false],
    ["2026-03-02", "2026-04-01", true],
    ["2026-06-01", "2026-06-01", true],
  ])("with applyFrom %s, when February is charged, is %s and splits: %s", (applyFrom, month, isSplit) => {
    expect(changeStart(rule(), null, ["2026-01-01", "2026-02-01"], { applyFrom }, "2026-02-20")).toEqual({ month, isSplit });
  });

  test.each([
    ["2026-02-01", null, "overlap"],
    ["2025-01-01", null, "overlap"],
    ["2026-07-01", "2026-06-30", "max"],
  ])("refuses applyFrom %s of a rule that ends on %s", (applyFrom, endDate, code) => {
    expect(() => changeStart(rule(), endDate, ["2026-01-01", "2026-02-01"], { applyFrom }, "2026-02-20")).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: "applyFrom", code })] }),
    );
  });

  test.each([
    // The 31st of March is the next due date; on the 20th, the 1st has passed.
    [rule({ dayOfMonth: 31 }), 1, "2026-03-20", "2026-04-01", true],
    [rule({ dayOfMonth: 31 }), 25, "2026-03-20", "2026-03-01", false],
    // March was missed, so it is charged late in any case.
    [rule({ dayOfMonth: 31 }), 1, "2026-04-20", "2026-03-01", false],
    [rule({ dayOfMonth: 15, startDate: "2026-03-10", postFrom: "2026-03-10" }), 5, "2026-01-01", "2026-04-01", true],
  ])(
    "of %j to day %i on %s is %s and splits: %s, so that no due date moves into the past or before the start",
    (previous, dayOfMonth, today, month, isSplit) => {
      const charged = previous.startDate < "2026-02-01" ? ["2026-01-01", "2026-02-01"] : [];
      expect(changeStart(previous, null, charged, { dayOfMonth }, today)).toEqual({ month, isSplit });
    },
  );

  test("charges each month once, whichever days of the month and dates are chosen", () => {
    const day = fc.integer({ min: 1, max: 31 });
    fc.assert(
      fc.property(day, day, fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 3 }), (before, after, offset, chargedCount) => {
        const previous = rule({ dayOfMonth: before });
        const charged = Array.from({ length: chargedCount }, (_, index) => addMonths("2026-01-01", index));
        const applyFrom = addDays(endOfMonth(charged.at(-1) ?? "2025-12-01"), 1 + offset);
        const { month, isSplit } = changeStart(previous, null, charged, { applyFrom, dayOfMonth: after }, "2026-01-01");
        const rules = isSplit
          ? [
              { ...previous, endDate: addDays(month, -1) },
              { ...previous, dayOfMonth: after, startDate: month, postFrom: month },
            ]
          : [{ ...previous, dayOfMonth: after, postFrom: month }];
        const due = rules.flatMap((each) => duePeriods(each, "2027-12-31", "actual_days")).filter(({ periodStart }) => !charged.includes(periodStart));
        const months = [...charged, ...due.map(({ periodStart }) => periodStart)];
        expect(months).toEqual(Array.from({ length: 24 }, (_, index) => addMonths("2026-01-01", index)));
        expect(startOfMonth(month)).toBe(month);
        expect(due.filter(({ periodStart, dueDate }) => periodStart >= month && dueDate < applyFrom)).toEqual([]);
      }),
    );
  });
});

describe("requireEndAfterPosted", () => {
  test.each([
    ["2025-12-31", null, "before_start"],
    ["2026-02-28", "2026-03-01", "min"],
  ])("refuses %s when %s is the last due date", (endDate, lastDueDate, code) => {
    expect(() => requireEndAfterPosted(endDate, rule(), lastDueDate)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: "endDate", code })] }),
    );
  });

  test("accepts the last due date itself", () => {
    expect(() => requireEndAfterPosted("2026-03-01", rule(), "2026-03-01")).not.toThrow();
  });
});
