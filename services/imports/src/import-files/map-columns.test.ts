import { describe, expect, test } from "@jest/globals";
import { importProviders } from "@freehold/contract/imports/import-bundles";
import { availableForms, forms, missingFields } from "../providers/forms.ts";
import { detectForm, mapColumns } from "./map-columns.ts";

const allForms = importProviders.flatMap((provider) => forms[provider].map((form) => ({ provider, form, name: form.name })));

describe("detectForm recognizes the columns", () => {
  test.each(allForms)("of $provider $name, whatever the name of the file", ({ provider, form }) => {
    const header = form.columns.map(({ header }) => header);
    const detected = detectForm(provider, "export.csv", header, [form.columns.map(({ example }) => example)])!;
    expect(detected.form.name).toBe(form.name);
    expect(detected.mapped.mapping).toEqual(Object.fromEntries(form.columns.map(({ header, field }) => [header, field])));
    expect(missingFields(form, detected.mapped.mapping)).toEqual([]);
    expect(detected.mapped.mappingConfidence).toBeGreaterThan(0.9);
  });

  test("of users' own spreadsheets", () => {
    const header = ["Tenant ID", "Name", "E-mail", "Phone Number", "Birthday"];
    const detected = detectForm("generic", "Our tenants 2026.csv", header, [["7", "Sample, Sam", "sam@example.com", "860-555-0142", "1990-02-28"]])!;
    expect(detected.form.name).toBe("tenants");
    expect(detected.mapped.mapping).toMatchObject({ "E-mail": "email", "Phone Number": "phone" });
    expect(detected.mapped.mappingConfidence).toBeLessThan(1);
  });
});

test("mapColumns ignores case and separators in column names", () => {
  const { mapping } = mapColumns(
    forms.appfolio.find(({ name }) => name === "rent_roll")!,
    ["UNIT", "lease_from", "LeaseTo", "market rent"],
    [],
  );
  expect(mapping).toEqual({ UNIT: "unit_number", lease_from: "start_date", LeaseTo: "end_date", "market rent": "market_rent" });
});

test("detectForm returns undefined for a file of no known form", () => {
  expect(detectForm("generic", "recipe.csv", ["Flour", "Sugar", "Oven"], [["500 g", "2 spoons", "180"]])).toBeUndefined();
});

test("invalid values lower the confidence of a column", () => {
  const form = availableForms("generic").find(({ name }) => name === "payments")!;
  const valid = mapColumns(form, ["amount"], [["$1,095.00"], ["5.00"]]);
  const invalid = mapColumns(form, ["amount"], [["a lot"], ["too much"]]);
  expect(valid.columnConfidence["amount"]).toBe(1);
  expect([invalid.mapping["amount"], invalid.columnConfidence["amount"]]).toEqual(["amount", 0.55]);
});

test("of two columns for one field, the one with the higher score is mapped", () => {
  const form = forms.appfolio.find(({ name }) => name === "rent_roll")!;
  const { mapping } = mapColumns(form, ["Property", "Property Name", "Unit"], [["Maple Court - 12 Maple Street Hartford, CT 06103", "Maple Court", "1"]]);
  expect(mapping).toEqual({ Property: null, "Property Name": "property_name", Unit: "unit_number" });
});
