import { describe, expect, test } from "@jest/globals";
import type { ApiError } from "@freehold/kit/errors";
import { corrected, type Correction, type MappedFile } from "./mapping.rules.ts";

const file: MappedFile = {
  header: ["Id", "House", "Street", "Town"],
  form: "properties",
  mapping: { Id: "source_id", House: null, Street: "street_line1", Town: "city" },
  columnConfidence: { Id: 0.9, Street: 0.8, Town: 0.8 },
  mappingConfidence: 0.5,
};

const refusal = (correction: Correction, of: MappedFile = file): ApiError["errors"] => {
  try {
    corrected("generic", of, correction);
  } catch (error) {
    return (error as ApiError).errors;
  }
  return undefined;
};

describe("a mapping", () => {
  test("is set right column by column, and what is set by hand is sure", () => {
    const { mapping, columnConfidence } = corrected("generic", file, { mapping: { House: "name", Town: null } });
    expect(mapping).toEqual({ Id: "source_id", House: "name", Street: "street_line1", Town: null });
    expect(columnConfidence).toMatchObject({ House: 1, Town: 1, Street: 0.8 });
  });

  test("that is set takes a field away from the column that was taken for it", () => {
    expect(corrected("generic", file, { mapping: { House: "city" } }).mapping).toEqual({ Id: "source_id", House: "city", Street: "street_line1", Town: null });
  });

  test("follows another form", () => {
    const found = corrected("generic", { ...file, header: ["source_id", "full_name", "email"] }, { entityType: "owner" });
    expect(found).toMatchObject({
      form: "owners",
      mapping: { source_id: "source_id", full_name: "full_name", email: "email" },
      mappingConfidence: expect.closeTo(0.95, 1),
    });
  });

  test("is taken from a profile for the columns that the file has, however they are written", () => {
    const profile = { provider: "generic" as const, entityType: "property" as const, mapping: { HOUSE: "name", town: "state", Garage: "units" } };
    expect(corrected("generic", file, { profile }).mapping).toEqual({ Id: "source_id", House: "name", Street: "street_line1", Town: "state" });
    expect(corrected("generic", file, { profile, mapping: { House: null } }).mapping["House"]).toBeNull();
  });

  test.each([
    ["of a column that the file has not", { mapping: { Garage: "name" } }, "mapping.Garage", "not_found"],
    ["to a field that there is not", { mapping: { House: "colour" } }, "mapping.House", "not_allowed"],
    ["of two columns to one field", { mapping: { House: "name", Town: "name" } }, "mapping.Town", "unique"],
    ["to a form that there is not", { form: "rent_roll" }, "form", "enum"],
    ["to a form that is about something else", { form: "units", entityType: "lease" as const }, "entityType", "mismatch"],
  ])("%s is refused, naming it", (_, correction, path, code) => {
    expect(refusal(correction)).toMatchObject([{ path, code }]);
  });

  test("of a file that nobody knows needs to be told what it is", () => {
    expect(refusal({ mapping: { House: "name" } }, { ...file, form: null })).toMatchObject([{ path: "entityType", code: "required" }]);
  });
});
