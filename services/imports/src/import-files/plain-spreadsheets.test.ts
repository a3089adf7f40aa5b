/** Column names of spreadsheets as people write them, and how many of them need no mapping by hand. */
import { describe, expect, test } from "@jest/globals";
import { plainSpreadsheets } from "../../test/plain-spreadsheets.ts";
import { missingFields } from "../providers/forms.ts";
import { detectForm } from "./map-columns.ts";

/** Confidence from which on a mapping counts as certain. */
const CERTAIN = 0.8;

const results = plainSpreadsheets.map(({ fileName, form, columns }) => {
  const header = columns.map(([name]) => name);
  const detected = detectForm("generic", fileName, header, [columns.map(([, cell]) => cell)]);
  const outcomes = columns.map(([name, , field]) => ({
    name,
    field,
    actual: detected?.mapped.mapping[name] ?? null,
    confidence: detected?.mapped.columnConfidence[name] ?? 0,
  }));
  return { fileName, form, detected, outcomes };
});
const outcomes = results.flatMap(({ fileName, outcomes: each }) => each.map((outcome) => ({ fileName, ...outcome })));

describe("files of people without column names of a template", () => {
  test.each(results)("$fileName is recognized, and needs no mapping by hand", ({ form, detected }) => {
    expect([detected?.form.name, detected && missingFields(detected.form, detected.mapped.mapping)]).toEqual([form, []]);
  });

  test("have at least 95 % of their columns mapped", () => {
    const mappable = outcomes.filter(({ field }) => field !== null);
    const missed = mappable
      .filter(({ field, actual }) => actual !== field)
      .map(({ fileName, name, field, actual }) => `${fileName}: ${name} is ${field}, not ${actual}`);
    expect(missed.length > 0.05 * mappable.length ? missed : []).toEqual([]);
  });

  test("have no column mapped wrong with certainty", () => {
    expect(outcomes.filter(({ field, actual, confidence }) => actual !== null && actual !== field && confidence >= CERTAIN)).toEqual([]);
  });
});
