import { describe, expect, test } from "@jest/globals";
import { dollars, printable, receiptNumber, usDate } from "./receipt.rules.ts";

test("the number of a receipt contains the day and the end of the payment's id", () => {
  expect(receiptNumber("2026-01-05", "01974b2e-7c1a-7e3f-9b5d-2a6c8e0f4d13")).toBe("R-20260105-8E0F4D13");
});

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

describe("printable", () => {
  test.each([
    ["Ana Díaz", "Ana Díaz"],
    ["Müller & Søn", "Müller & Søn"],
    ["Jiří Dvořák", "Jirí Dvorák"],
    ["Анна", "????"],
  ])("shows %s as %s", (text, expected) => expect(printable(text)).toBe(expected));
});
