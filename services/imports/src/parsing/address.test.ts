import { expect, test } from "@jest/globals";
import { parsePostalCode, parsePropertyHeading, parsePropertyName, parseState } from "./address.ts";

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

test.each([
  ["Maple Court - 12 Maple Street Hartford, CT 06103", "Maple Court", "12 Maple Street", "Hartford", "CT", "06103"],
  ["Cedar Row – 400 Cedar Ave. NE, Salem, OR 97301-1234", "Cedar Row", "400 Cedar Ave. NE", "Salem", "OR", "97301-1234"],
  ["Oak House - 7 Court St Apt 2 New Haven CT 06510", "Oak House", "7 Court St Apt 2", "New Haven", "CT", "06510"],
  ["The Arch - 9 Market St St. Louis, MO 63101", "The Arch", "9 Market St", "St. Louis", "MO", "63101"],
  ["The Arch - 9 Broadway St Paul, mn 55101", "The Arch", "9 Broadway", "St Paul", "MN", "55101"],
])("parsePropertyHeading finds the address in %s", (heading, name, street_line1, city, state, postal_code) =>
  expect(parsePropertyHeading(heading)).toEqual({ name, street_line1, city, state, postal_code }),
);

test.each(["Maple Court", "Maple Court - 12 Maple Street", "12 Maple Street Hartford, CT 06103", "Maple Court - 12 Maplewood Hartford CT 06103"])(
  "parsePropertyHeading finds no complete address in %s",
  (heading) => expect(parsePropertyHeading(heading)).toBeUndefined(),
);
