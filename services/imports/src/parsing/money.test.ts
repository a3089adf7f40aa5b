import { describe, expect, test } from "@jest/globals";
import { centsOf, parseMoney } from "./money.ts";

describe("parseMoney", () => {
  test.each([
    ["1095", "1095.00"],
    ["1095.5", "1095.50"],
    ["$1,234.50", "1234.50"],
    ["1,095.00", "1095.00"],
    ["$ 1,234,567.89", "1234567.89"],
    ["(50.00)", "-50.00"],
    ["($1,050.25)", "-1050.25"],
    ["-50", "-50.00"],
    ["$-50.00", "-50.00"],
    ["50.00-", "-50.00"],
    ["50.00 CR", "-50.00"],
    ["0", "0.00"],
    ["0.00", "0.00"],
    ["(0.00)", "0.00"],
    [".5", "0.50"],
    ["1.234,50", "1234.50"],
    ["12,5", "12.50"],
    ["1234.5000", "1234.50"],
    ["USD 99.99", "99.99"],
    ["99999999999.99", "99999999999.99"],
  ])("reads %s as %s", (text, amount) => {
    expect(parseMoney(text)).toEqual({ value: amount });
  });

  test.each(["", "$", "abc", "1e3", "12-34", "1.2.3", "1,23,456.00", "1.005", "100000000000", "1,2345.00", "NaN", "0x10", "--5"])(
    "refuses %j and says so",
    (text) => {
      expect(parseMoney(text)).toEqual({ problem: expect.stringContaining(`"${text}"`) });
    },
  );
});

test.each([
  ["1095.00", 109_500],
  ["-0.05", -5],
  ["0.00", 0],
  ["99999999999.99", 9_999_999_999_999],
])("centsOf %s is %d", (amount, cents) => {
  expect(centsOf(amount)).toBe(cents);
});
