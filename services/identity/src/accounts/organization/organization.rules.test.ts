import { describe, expect, test } from "@jest/globals";
import { requireConsistentPolicies, requireTimezone, slugOf } from "./organization.rules.ts";

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
  test.each(["America/New_York", "Europe/Berlin", "UTC"])("takes %s", (zone) => expect(() => requireTimezone(zone)).not.toThrow());
  test.each(["Mars/Olympus", "+05:00", "-08", "New York"])("refuses %s, naming the field", (zone) => {
    expect(() => requireTimezone(zone)).toThrow(
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "timezone", code: "format" })] }),
    );
  });
});

describe("requireSensible", () => {
  test("refuses a locale that is no language tag", () => {
    expect(() => requireConsistentPolicies({ locale: "english_us!" })).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: "locale" })] }),
    );
  });
  test("refuses an order that names a kind of charge twice", () => {
    expect(() => requireConsistentPolicies({}, { allocationOrder: ["rent", "fee", "rent"] })).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: "policies.allocationOrder", code: "unique" })] }),
    );
  });
  test("takes an empty order, which leaves it to the ledger", () => expect(() => requireConsistentPolicies({}, { allocationOrder: [] })).not.toThrow());
});
