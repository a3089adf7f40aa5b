import { describe, expect, test } from "@jest/globals";
import { appliesOn, requireCoherentTerms } from "./agreement.rules.ts";

const terms = {
  effectiveFrom: "2026-01-01",
  effectiveTo: null,
  feeType: "percent_of_collected",
  percentBps: 1_000,
  flatCents: null,
  minimumCents: null,
  maximumCents: null,
  includedChargeTypes: ["rent"],
  managerKeepsChargeTypes: ["late_fee"],
};
const check = (change: object) => () => requireCoherentTerms({ ...terms, ...change } as never);

describe("requireCoherentTerms", () => {
  test.each([
    ["a flat amount without a share", { feeType: "flat_per_unit", percentBps: null, flatCents: 1 }],
    ["equal limits", { minimumCents: 5, maximumCents: 5 }],
    ["a single day", { effectiveTo: "2026-01-01" }],
    ["no types of charges", { includedChargeTypes: [], managerKeepsChargeTypes: [] }],
  ])("accepts %s", (_name, change) => {
    expect(check(change)).not.toThrow();
  });

  test.each([
    ["percentBps", "required", { percentBps: null }],
    ["flatCents", "not_allowed", { flatCents: 1 }],
    ["flatCents", "required", { feeType: "flat_per_month", percentBps: null }],
    ["maximumCents", "min", { minimumCents: 5, maximumCents: 4 }],
    ["effectiveTo", "before_start", { effectiveTo: "2025-12-31" }],
    ["includedChargeTypes", "not_allowed", { includedChargeTypes: ["rent", "deposit"] }],
    ["managerKeepsChargeTypes", "overlap", { managerKeepsChargeTypes: ["rent"] }],
  ])("names %s with the code %s", (path, code, change) => {
    expect(check(change)).toThrow(expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path, code })] }));
  });
});

describe("appliesOn", () => {
  test("includes the first and the last day", () => {
    const days = { effectiveFrom: "2026-01-10", effectiveTo: "2026-01-20" };
    expect(["2026-01-09", "2026-01-10", "2026-01-20", "2026-01-21"].map((day) => appliesOn(days, day))).toEqual([false, true, true, false]);
    expect(appliesOn({ ...days, effectiveTo: null }, "2199-12-31")).toBe(true);
  });
});
