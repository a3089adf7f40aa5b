import { describe, expect, test } from "@jest/globals";
import { importProviders } from "@freehold/contract/import-bundles";
import { forms, formsOf, missingIn } from "../providers/forms.ts";
import { findForm, mapColumns } from "./map-columns.ts";

const own = importProviders.flatMap((provider) => forms[provider].map((form) => ({ provider, form, name: form.name })));

describe("the columns of an export are known", () => {
  test.each(own)("$provider $name, by themselves and whatever the file is called", ({ provider, form }) => {
    const header = form.columns.map(({ header }) => header);
    const found = findForm(provider, "export.csv", header, [form.columns.map(({ example }) => example)])!;
    expect(found.form.name).toBe(form.name);
    expect(found.mapped.mapping).toEqual(Object.fromEntries(form.columns.map(({ header, field }) => [header, field])));
    expect(missingIn(form, found.mapped.mapping)).toEqual([]);
    expect(found.mapped.mappingConfidence).toBeGreaterThan(0.9);
  });

  test("by the names that people give them in their own tables", () => {
    const header = ["Tenant ID", "Name", "E-mail", "Phone Number", "Birthday"];
    const found = findForm("generic", "Our tenants 2026.csv", header, [["7", "Sample, Sam", "sam@example.com", "860-555-0142", "1990-02-28"]])!;
    expect(found.form.name).toBe("tenants");
    expect(found.mapped.mapping).toMatchObject({ "E-mail": "email", "Phone Number": "phone" });
    expect(found.mapped.mappingConfidence).toBeLessThan(1);
  });

  test("however they are written", () => {
    const { mapping } = mapColumns(
      forms.appfolio.find(({ name }) => name === "rent_roll")!,
      ["UNIT", "lease_from", "LeaseTo", "market rent"],
      [],
    );
    expect(mapping).toEqual({ UNIT: "unit_number", lease_from: "start_date", LeaseTo: "end_date", "market rent": "market_rent" });
  });
});

test("what no export has is nobody's, and stands in no mapping", () => {
  expect(findForm("generic", "recipe.csv", ["Flour", "Sugar", "Oven"], [["500 g", "2 spoons", "180"]])).toBeUndefined();
});

test("values speak against a column whose name fits", () => {
  const form = formsOf("generic").find(({ name }) => name === "payments")!;
  const sure = mapColumns(form, ["amount"], [["$1,095.00"], ["5.00"]]);
  const doubtful = mapColumns(form, ["amount"], [["a lot"], ["too much"]]);
  expect(sure.columnConfidence["amount"]).toBe(1);
  expect([doubtful.mapping["amount"], doubtful.columnConfidence["amount"]]).toEqual(["amount", 0.55]);
});

test("of two columns that fit a field the better one has it", () => {
  const form = forms.appfolio.find(({ name }) => name === "rent_roll")!;
  const { mapping } = mapColumns(form, ["Property", "Property Name", "Unit"], [["Maple Court - 12 Maple Street Hartford, CT 06103", "Maple Court", "1"]]);
  expect(mapping).toEqual({ Property: null, "Property Name": "property_name", Unit: "unit_number" });
});
