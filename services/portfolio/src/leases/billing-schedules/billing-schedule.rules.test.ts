import { describe, expect, test } from "@jest/globals";
import { requireValidSteps, requireSingleBaseRent } from "./billing-schedule.rules.ts";

const step = (startDate: string, endDate: string | null) => ({ startDate, endDate });
const invalidAt = (...errors: [string, string][]) =>
  expect.objectContaining({ status: 400, errors: errors.map(([path, code]) => expect.objectContaining({ path, code })) });

describe("requireValidSteps", () => {
  test("accepts consecutive steps, gaps, steps of one day, and any order", () => {
    const steps = [step("2028-03-01", null), step("2026-01-01", "2026-12-31"), step("2027-01-01", "2027-01-01"), step("2028-02-29", "2028-02-29")];
    expect(() => requireValidSteps(steps)).not.toThrow();
  });

  test.each([
    ["a step that ends before it starts", [step("2026-01-02", "2026-01-01")], ["steps.0.endDate", "before_start"]],
    ["a step that starts on the last day of another one", [step("2026-01-01", "2026-12-31"), step("2026-12-31", null)], ["steps.1.startDate", "overlap"]],
    ["a step after one without an end", [step("2027-01-01", "2027-12-31"), step("2026-01-01", null)], ["steps.0.startDate", "overlap"]],
    ["two steps with the same start", [step("2026-01-01", null), step("2026-01-01", null)], ["steps.1.startDate", "overlap"]],
  ] as const)("refuses %s", (_, steps, [path, code]) => {
    expect(() => requireValidSteps(steps)).toThrow(invalidAt([path, code]));
  });

  test("names every invalid step by its path", () => {
    expect(() => requireValidSteps([step("2026-01-01", "2025-01-01"), step("2027-01-01", "2026-01-01")])).toThrow(
      invalidAt(["steps.0.endDate", "before_start"], ["steps.1.endDate", "before_start"]),
    );
  });
});

describe("requireSingleBaseRent", () => {
  const otherSchedules = [{ label: "Office", steps: [step("2026-01-01", "2026-12-31"), step("2028-01-01", null)] }];

  test("accepts base rent in gaps of other schedules and refuses an overlap", () => {
    expect(() =>
      requireSingleBaseRent([step("2025-01-01", "2025-12-31"), step("2027-01-01", "2027-12-31")], otherSchedules, { areStepsInRequest: true }),
    ).not.toThrow();
    const overlapAt = (path: string) =>
      expect.objectContaining({
        status: 409,
        code: "duplicate",
        errors: [expect.objectContaining({ path, code: "overlap" })],
        message: expect.stringContaining('"Office"'),
      });
    expect(() =>
      requireSingleBaseRent([step("2025-01-01", "2025-12-31"), step("2027-01-01", "2028-01-01")], otherSchedules, { areStepsInRequest: true }),
    ).toThrow(overlapAt("steps.1.startDate"));
    expect(() => requireSingleBaseRent([step("2099-01-01", null)], otherSchedules, { areStepsInRequest: false })).toThrow(overlapAt("chargeType"));
  });
});
