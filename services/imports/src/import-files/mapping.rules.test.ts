import { describe, expect, test } from "@jest/globals";
import type { ApiError } from "@freehold/kit/errors";
import { applyCorrection, type Correction, type MappedFile } from "./mapping.rules.ts";

const file: MappedFile = {
  header: ["Id", "House", "Street", "Town"],
  form: "properties",
  mapping: { Id: "source_id", House: null, Street: "street_line1", Town: "city" },
  columnConfidence: { Id: 0.9, Street: 0.8, Town: 0.8 },
  mappingConfidence: 0.5,
};

const errorsOf = (correction: Correction, mappedFile: MappedFile = file): ApiError["errors"] => {
  try {
    applyCorrection("generic", mappedFile, correction);
  } catch (error) {
    return (error as ApiError).errors;
  }
  return undefined;
};

describe("applyCorrection", () => {
  test("maps single columns with full confidence", () => {
    const { mapping, columnConfidence } = applyCorrection("generic", file, { mapping: { House: "name", Town: null } });
    expect(mapping).toEqual({ Id: "source_id", House: "name", Street: "street_line1", Town: null });
    expect(columnConfidence).toMatchObject({ House: 1, Town: 1, Street: 0.8 });
  });

  test("unmaps the detected column of a field that another column takes", () => {
    expect(applyCorrection("generic", file, { mapping: { House: "city" } }).mapping).toEqual({
      Id: "source_id",
      House: "city",
      Street: "street_line1",
      Town: null,
    });
  });

  test("maps the columns again for another form", () => {
    const corrected = applyCorrection("generic", { ...file, header: ["source_id", "full_name", "email"] }, { entityType: "owner" });
    expect(corrected).toMatchObject({
      form: "owners",
      mapping: { source_id: "source_id", full_name: "full_name", email: "email" },
      mappingConfidence: expect.closeTo(0.95, 1),
    });
  });

  test("applies a profile to the columns of the file, ignoring case", () => {
    const profile = { provider: "generic" as const, entityType: "property" as const, mapping: { HOUSE: "name", town: "state", Garage: "units" } };
    expect(applyCorrection("generic", file, { profile }).mapping).toEqual({ Id: "source_id", House: "name", Street: "street_line1", Town: "state" });
    expect(applyCorrection("generic", file, { profile, mapping: { House: null } }).mapping["House"]).toBeNull();
  });

  test.each([
    ["a column that the file does not have", { mapping: { Garage: "name" } }, "mapping.Garage", "not_found"],
    ["an unknown field", { mapping: { House: "colour" } }, "mapping.House", "not_allowed"],
    ["two columns for one field", { mapping: { House: "name", Town: "name" } }, "mapping.Town", "unique"],
    ["an unknown form", { form: "delinquency" }, "form", "enum"],
    ["a form of another entity type", { form: "units", entityType: "lease" as const }, "entityType", "mismatch"],
  ])("refuses %s, naming it", (_, correction, path, code) => {
    expect(errorsOf(correction)).toMatchObject([{ path, code }]);
  });

  test("requires the form or entity type of a file that was not detected", () => {
    expect(errorsOf({ mapping: { House: "name" } }, { ...file, form: null })).toMatchObject([{ path: "entityType", code: "required" }]);
  });
});
