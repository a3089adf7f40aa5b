import { expect, test } from "@jest/globals";
import { parsePostalCode, parsePropertyName, parseState } from "./address.ts";

test.each([
  ["CT", "CT"],
  ["ct", "CT"],
  ["Connecticut", "CT"],
  ["N.Y.", "NY"],
  ["Washington, D.C.", "DC"],
])("parseState converts %s to %s", (text, value) => expect(parseState(text)).toEqual({ value }));

test.each([
  ["06103", "06103"],
  ["6103", "06103"],
  ["06103-1234", "06103-1234"],
  ["061031234", "06103-1234"],
  ["12207.0", "12207"],
  ["12207-", "12207"],
])("parsePostalCode converts %s to %s", (text, value) => expect(parsePostalCode(text)).toEqual({ value }));

test("parseState and parsePostalCode refuse invalid texts", () => {
  for (const parsed of [parseState("Ontario"), parseState("C"), parsePostalCode("K1A 0B1"), parsePostalCode("123456")])
    expect(parsed).toHaveProperty("problem");
});

test("parsePropertyName removes an appended address", () => {
  expect(parsePropertyName("Maple Court - 12 Maple Street Hartford, CT 06103")).toEqual({ value: "Maple Court" });
  expect(parsePropertyName("Maple Court – 12 Maple Street Hartford, CT 06103")).toEqual({ value: "Maple Court" });
  expect(parsePropertyName("Maple - The Court")).toEqual({ value: "Maple - The Court" });
});
