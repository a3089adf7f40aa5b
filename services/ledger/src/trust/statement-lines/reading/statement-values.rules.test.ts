import { describe, expect, test } from "@jest/globals";
import { hasMask, parseStatementAmount, parseStatementDate, singleSpaced } from "./statement-values.rules.ts";

describe("parseStatementDate", () => {
  test.each([
    ["2026-01-31", "2026-01-31"],
    ["2026-1-5", "2026-01-05"],
    ["01/31/2026", "2026-01-31"],
    ["1/5/26", "2026-01-05"],
    ["01-31-2026", "2026-01-31"],
    ["20260131", "2026-01-31"],
    ["2024-02-29", "2024-02-29"],
    ["2026-02-29", undefined],
    ["31/01/2026", undefined],
    ["13/13/2026", undefined],
    ["1899-12-31", undefined],
    ["2200-01-01", undefined],
    ["0001-01-01", undefined],
    ["January 5", undefined],
    ["", undefined],
  ])("%p is %p", (text, date) => expect(parseStatementDate(text)).toBe(date));
});

describe("parseStatementAmount", () => {
  test.each([
    ["12", 1_200],
    ["12.3", 1_230],
    ["-1,234.56", -123_456],
    ["+7.05", 705],
    ["$1,234,567.89", 123_456_789],
    ["-$5.00", -500],
    ["(12.00)", -1_200],
    ["($12.00)", -1_200],
    ["12.00-", -1_200],
    [".5", 50],
    ["0.00", 0],
    ["-0.00", 0],
    ["1.2300", 123],
    ["1.234", undefined],
    ["1e3", undefined],
    ["12,34", undefined],
    ["1,23.00", undefined],
    ["--5", undefined],
    ["-5-", undefined],
    ["(-5)", undefined],
    ["99999999999999.00", undefined],
    ["NaN", undefined],
    ["", undefined],
    [".", undefined],
  ])("%p is %p cents", (text, cents) => expect(parseStatementAmount(text)).toBe(cents));
});

test("an account number has the mask of its last digits, whatever its spaces and hyphens", () => {
  expect([hasMask("0012-3456 4321", "4321"), hasMask("4321", "4321"), hasMask("43210", "4321"), hasMask("", "4321")]).toEqual([true, true, false, false]);
});

test("a text is cut to whole characters", () => {
  expect(singleSpaced("  a \n b🏠c ", 4)).toBe("a b🏠");
});
