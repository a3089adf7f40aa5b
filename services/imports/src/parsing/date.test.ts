import { describe, expect, test } from "@jest/globals";
import { parseBirthDate, parseDate, parseEndDate } from "./date.ts";

describe("parseDate", () => {
  test.each([
    ["2026-01-31", "2026-01-31"],
    ["2026/1/5", "2026-01-05"],
    ["20260131", "2026-01-31"],
    ["01/31/2026", "2026-01-31"],
    ["1/5/26", "2026-01-05"],
    ["12/31/99", "1999-12-31"],
    ["6/1/69", "2069-06-01"],
    ["6/1/70", "1970-06-01"],
    ["01-31-2026", "2026-01-31"],
    ["Jan 5, 2026", "2026-01-05"],
    ["September 1st, 2026", "2026-09-01"],
    ["5-Jan-26", "2026-01-05"],
    ["5 January 2026", "2026-01-05"],
    ["5th January, 2026", "2026-01-05"],
    ["Sept 5, 2026", "2026-09-05"],
    ["Thu, Jan 1, 2026", "2026-01-01"],
    ["01 / 31 / 2026", "2026-01-31"],
    ["02/29/2024", "2024-02-29"],
    ["06/01/2026 12:00 AM", "2026-06-01"],
    ["2026-06-01T00:00:00Z", "2026-06-01"],
  ])("parses %s as %s", (text, date) => {
    expect(parseDate(text)).toEqual({ value: date });
  });

  test.each([
    "02/29/2026",
    "31/12/2026",
    "2026-13-01",
    "00/10/2026",
    "1/1/1",
    "soon",
    "45292",
    "1899-12-31",
    "2200-01-01",
    "Foo 5, 2026",
    "Marble 5, 2026",
    "01/31",
  ])("refuses %j", (text) => {
    expect(parseDate(text)).toEqual({ problem: expect.stringContaining(text) });
  });
});

test.each(["Month-to-month", "MTM", "At will", "Present"])("parseEndDate accepts %s as no end date, and parseDate refuses it", (text) => {
  expect(parseEndDate(text)).toEqual({ value: "" });
  expect(parseDate(text)).toHaveProperty("problem");
});

test.each([
  ["2/28/05", "2005-02-28"],
  ["2/28/10", "2010-02-28"],
  ["2/28/11", "1911-02-28"],
  ["2/28/65", "1965-02-28"],
])("parseBirthDate parses %s as %s: two-digit years above 10 belong to the 1900s", (text, date) => {
  expect(parseBirthDate(text)).toEqual({ value: date });
});
