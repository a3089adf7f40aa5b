import { describe, expect, test } from "@jest/globals";
import { refuseImpossibleSteps, refuseSecondBaseRent } from "./billing-schedule.rules.ts";

const step = (startDate: string, endDate: string | null) => ({ startDate, endDate });
const refusal = (...errors: [string, string][]) =>
  expect.objectContaining({ status: 400, errors: errors.map(([path, code]) => expect.objectContaining({ path, code })) });

describe("the steps of a schedule", () => {
  test("may follow each other, leave gaps, last a day and come in any order", () => {
    const steps = [step("2028-03-01", null), step("2026-01-01", "2026-12-31"), step("2027-01-01", "2027-01-01"), step("2028-02-29", "2028-02-29")];
    expect(() => refuseImpossibleSteps(steps)).not.toThrow();
  });

  test.each([
    ["that ends before it starts", [step("2026-01-02", "2026-01-01")], ["steps.0.endDate", "before_start"]],
    ["on the last day of another", [step("2026-01-01", "2026-12-31"), step("2026-12-31", null)], ["steps.1.startDate", "overlap"]],
    ["after one without an end", [step("2027-01-01", "2027-12-31"), step("2026-01-01", null)], ["steps.0.startDate", "overlap"]],
    ["on the same days as another", [step("2026-01-01", null), step("2026-01-01", null)], ["steps.1.startDate", "overlap"]],
  ] as const)("have none %s", (_, steps, [path, code]) => {
    expect(() => refuseImpossibleSteps(steps)).toThrow(refusal([path, code]));
  });

  test("are each named by their place in the body", () => {
    expect(() => refuseImpossibleSteps([step("2026-01-01", "2025-01-01"), step("2027-01-01", "2026-01-01")])).toThrow(
      refusal(["steps.0.endDate", "before_start"], ["steps.1.endDate", "before_start"]),
    );
  });
});

describe("base rent", () => {
  const others = [{ label: "Office", steps: [step("2026-01-01", "2026-12-31"), step("2028-01-01", null)] }];

  test("fits before, between and not after what has no end", () => {
    expect(() => refuseSecondBaseRent([step("2025-01-01", "2025-12-31"), step("2027-01-01", "2027-12-31")], others, true)).not.toThrow();
    const refused = (path: string) =>
      expect.objectContaining({
        status: 409,
        code: "duplicate",
        errors: [expect.objectContaining({ path, code: "overlap" })],
        message: expect.stringContaining('"Office"'),
      });
    expect(() => refuseSecondBaseRent([step("2025-01-01", "2025-12-31"), step("2027-01-01", "2028-01-01")], others, true)).toThrow(
      refused("steps.1.startDate"),
    );
    expect(() => refuseSecondBaseRent([step("2099-01-01", null)], others, false)).toThrow(refused("chargeType"));
  });
});
