import { describe, expect, test } from "@jest/globals";
import { operations } from "./index.ts";
import { defaultDirection } from "./values.ts";

describe("a list", () => {
  test.each(["createdAt", "dueOn", "startDate", "effectiveStart", "effectiveFrom", "periodEnd", "month", "fiscalYear", "number", "priority"])(
    "that is sorted by %s begins with the newest or most urgent",
    (field) => expect(defaultDirection(field)).toBe("desc"),
  );

  test.each(["tenantName", "title", "unitNumber", "rowNumber", "amountCents", "status", "daysUntilExpiry"])("that is sorted by %s ascends", (field) =>
    expect(defaultDirection(field)).toBe("asc"),
  );

  test("is sorted by a time or by a name unless its query names a field", () => {
    const defaults = operations.flatMap(({ operation: { query } }) => {
      const sortBy = (query?.shape as Record<string, { def: { defaultValue?: string } }> | undefined)?.["sortBy"];
      return sortBy?.def.defaultValue === undefined ? [] : [sortBy.def.defaultValue];
    });
    expect(defaults.length).toBeGreaterThan(50);
    const others = defaults.filter((field) => defaultDirection(field) === "asc" && !/name|number|address|position/i.test(field));
    expect(others).toEqual([]);
  });
});
