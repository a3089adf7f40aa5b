import { describe, expect, test } from "@jest/globals";
import { budgetStateMachine, comparedMonths, monthsOfFiscalYear, requireChangeableBudget } from "./budget.rules.ts";

const calendarYear = { fiscalYear: 2026, startMonth: 1 };
const yearFromJuly = { fiscalYear: 2026, startMonth: 7 };

describe("a fiscal year", () => {
  test.each([
    [calendarYear, "2026-01-01", "2026-12-01"],
    [yearFromJuly, "2025-07-01", "2026-06-01"],
    [{ fiscalYear: 2026, startMonth: 12 }, "2025-12-01", "2026-11-01"],
    [{ fiscalYear: 2026, startMonth: 2 }, "2025-02-01", "2026-01-01"],
  ])("%j has twelve months from %s to %s", (year, first, last) => {
    const months = monthsOfFiscalYear(year);
    expect([months.length, months[0], months[11]]).toEqual([12, first, last]);
  });
});

describe("comparedMonths", () => {
  const through = (month: string | undefined, today: string) => comparedMonths(yearFromJuly, month, today).map((date) => date.slice(0, 7));

  test.each([
    ["2025-07-31", "2025-07"],
    ["2025-08-31", "2025-07"],
    ["2025-09-01", "2025-08"],
    ["2026-06-30", "2026-05"],
    ["2026-07-01", "2026-06"],
    ["2030-01-01", "2026-06"],
    ["2020-01-01", "2025-07"],
  ])("end on %s with the last month that has ended, %s, or with the first month", (today, last) => expect(through(undefined, today).at(-1)).toBe(last));

  test("end with the requested month, also a future one", () => {
    expect(through("2025-07", "2026-05-01")).toEqual(["2025-07"]);
    expect(through("2026-06", "2025-07-01")).toHaveLength(12);
  });

  test.each([
    ["2025-06", "min"],
    ["2026-07", "max"],
  ])("refuse %s, which lies outside of the fiscal year", (month, code) => {
    expect(() => comparedMonths(yearFromJuly, month, "2026-01-01")).toThrow(
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "through", code })] }),
    );
  });
});

describe("the status of a budget", () => {
  test.each([
    ["draft", ["active", "archived"]],
    ["active", ["archived"]],
    ["archived", []],
  ] as const)("%s may become %j", (from, allowed) => expect(budgetStateMachine.table[from]).toEqual(allowed));

  test("permits changes of drafts and active budgets, not of archived ones", () => {
    for (const status of ["draft", "active"] as const) expect(() => requireChangeableBudget(status)).not.toThrow();
    expect(() => requireChangeableBudget("archived")).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});
