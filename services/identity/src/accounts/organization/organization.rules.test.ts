import { describe, expect, test } from "@jest/globals";
import { requireValidSettings, requireTimezone, slugOf } from "./organization.rules.ts";

describe("slugOf", () => {
  test.each([
    ["Elm Street Management", "elm-street-management"],
    ["  Müller & Søn, LLC  ", "muller-s-n-llc"],
    ["---", "organization"],
    ["不動産", "organization"],
    ["A".repeat(100), "a".repeat(60)],
    [`${"a".repeat(59)} b`, "a".repeat(59)],
  ])("%j becomes %j", (name, slug) => expect(slugOf(name)).toBe(slug));
});

describe("requireTimezone", () => {
  test.each(["America/New_York", "Europe/Berlin", "UTC"])("accepts %s", (zone) => expect(() => requireTimezone(zone)).not.toThrow());
  test.each(["Mars/Olympus", "+05:00", "-08", "New York"])("refuses %s, naming the field", (zone) => {
    expect(() => requireTimezone(zone)).toThrow(
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "timezone", code: "format" })] }),
    );
  });
});

describe("requireValidSettings", () => {
  test("refuses a locale that is not a language tag", () => {
    expect(() => requireValidSettings({ locale: "english_us!" })).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ path: "locale" })] }));
  });
  test("refuses an allocation order with a duplicate charge type", () => {
    expect(() => requireValidSettings({}, { allocationOrder: ["rent", "fee", "rent"] })).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: "policies.allocationOrder", code: "unique" })] }),
    );
  });
  test("accepts an empty allocation order, for which the ledger uses its default", () =>
    expect(() => requireValidSettings({}, { allocationOrder: [] })).not.toThrow());
});
