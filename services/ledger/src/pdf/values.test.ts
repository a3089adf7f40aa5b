import { describe, expect, test } from "@jest/globals";
import { dollars, usDate } from "./values.ts";

describe("dollars", () => {
  test.each([
    [0, "$0.00"],
    [5, "$0.05"],
    [150_000, "$1,500.00"],
    [-123_456_789, "-$1,234,567.89"],
    [9_007_199_254_740_991, "$90,071,992,547,409.91"],
  ])("shows %i cents as %s", (cents, expected) => expect(dollars(cents)).toBe(expected));
});

test("a date is shown as month, day and year", () => {
  expect(usDate("2026-01-05")).toBe("01/05/2026");
});
