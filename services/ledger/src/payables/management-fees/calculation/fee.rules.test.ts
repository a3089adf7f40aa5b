import { describe, expect, test } from "@jest/globals";
import { percentOf, prorateByDays, proratedPercentOf } from "./fee.rules.ts";

describe("percentOf", () => {
  test.each([
    // 8 % of 1,000.00 is 80.00; of 1,000.06 it is 80.0048; of 1,000.07 it is 80.0056.
    [100_000, 800, 8_000],
    [100_006, 800, 8_000],
    [100_007, 800, 8_001],
    // Exactly half a cent rounds up: 10 % of 5 cents is 0.5 cents.
    [5, 1_000, 1],
    [4, 1_000, 0],
    [15, 1_000, 2],
    // A correction is rounded like the amount that it takes back.
    [-5, 1_000, -1],
    [0, 1_000, 0],
    // The largest amount at the full rate is exact.
    [Number.MAX_SAFE_INTEGER, 10_000, Number.MAX_SAFE_INTEGER],
  ])("%i cents at %i basis points are %i cents", (cents, bps, expected) => {
    expect(percentOf(cents, bps)).toBe(expected);
  });
});

describe("prorateByDays", () => {
  test.each([
    // 100.00 for 10 of 31 days is 32.258; for 10 of 28 days 35.714; for 10 of 29 days of a leap year 34.483.
    [10_000, 10, 31, 3_226],
    [10_000, 10, 28, 3_571],
    [10_000, 10, 29, 3_448],
    [10_000, 31, 31, 10_000],
    [10_000, 0, 31, 0],
    // Exactly half a cent: 1 cent for 15 of 30 days.
    [1, 15, 30, 1],
    [1, 14, 30, 0],
  ])("%i cents for %i of %i days are %i cents", (cents, days, daysInMonth, expected) => {
    expect(prorateByDays(cents, { days, daysInMonth })).toBe(expected);
  });

  test("of a share rounds once", () => {
    // 10 % of 0.15 is 1.5 cents, half of which is 0.75 cents. Rounding twice would also give 1.
    expect(proratedPercentOf(15, 1_000, { days: 15, daysInMonth: 30 })).toBe(1);
    // 10 % of 0.09 is 0.9 cents, half of it is 0.45. Rounding twice would give 1, then 1 cent.
    expect(proratedPercentOf(9, 1_000, { days: 15, daysInMonth: 30 })).toBe(0);
  });
});
