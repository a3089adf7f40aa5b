import { describe, expect, test } from "@jest/globals";
import { cleanCell } from "./parsed.ts";
import { normalizeForMatching, parseChoice, parseFlag } from "./text.ts";

test.each([
  ["Café  Élan, Inc.", "cafe elan inc"],
  ["UNIT_NUMBER", "unit number"],
  ["  #12-B ", "12 b"],
])("normalizeForMatching converts %j to %j", (text, normalized) => {
  expect(normalizeForMatching(text)).toBe(normalized);
});

test.each([
  [" 5 ", "5"],
  ["\u00a0", ""],
  ["N/A", ""],
  ["--", ""],
  ["0.00", "0.00"],
  ["0", "0"],
  ["none", ""],
  ["NotSet", ""],
  ["#N/A", ""],
  ["(blank)", ""],
  ["'06103", "06103"],
  ["'t Hooft", "'t Hooft"],
  ["\u200e5\u00ad", "5"],
])("cleanCell converts %j to %j", (cell, text) => {
  expect(cleanCell(cell)).toBe(text);
});

describe("parseFlag", () => {
  test.each(["yes", "Y", "TRUE", "1", "x"])("reads %s as yes", (text) => expect(parseFlag(text)).toEqual({ value: "yes" }));
  test.each(["no", "N", "False", "0"])("reads %s as no", (text) => expect(parseFlag(text)).toEqual({ value: "no" }));
  test("refuses other texts", () => expect(parseFlag("maybe")).toHaveProperty("problem"));
});

test("parseChoice accepts values, aliases and prefixes", () => {
  const choices = { occupied: ["current", "notice*"], vacant: [] };
  expect(["Occupied", "CURRENT", "Notice-Unrented", "vacant"].map((text) => parseChoice(text, choices))).toEqual(
    ["occupied", "occupied", "occupied", "vacant"].map((value) => ({ value })),
  );
  expect(parseChoice("currently", choices)).toEqual({ problem: '"currently" is not one of: occupied, vacant.' });
});
