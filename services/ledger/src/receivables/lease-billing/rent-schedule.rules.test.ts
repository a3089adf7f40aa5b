import { describe, expect, test } from "@jest/globals";
import { initialRentCents, rentSchedule } from "./rent-schedule.rules.ts";

const change = (id: string, effectiveDate: string, previousRentCents: number, rentCents: number) => ({ id, effectiveDate, previousRentCents, rentCents });

describe("rentSchedule", () => {
  test("has one step without an end date when the rent never changes", () => {
    const lease = { startDate: "2026-01-15", rentCents: 100, rentChanges: [] };
    expect(initialRentCents(lease)).toBe(100);
    expect(rentSchedule(lease)).toEqual([{ rentChangeId: null, startDate: "2026-01-15", endDate: null, rentCents: 100 }]);
  });

  test("has consecutive steps, the first with the initial rent", () => {
    const rentChanges = [change("a", "2027-03-01", 100, 0), change("b", "2028-03-01", 0, 300)];
    const lease = { startDate: "2026-01-15", rentCents: 300, rentChanges };
    expect(initialRentCents(lease)).toBe(100);
    expect(rentSchedule(lease)).toEqual([
      { rentChangeId: null, startDate: "2026-01-15", endDate: "2027-02-28", rentCents: 100 },
      { rentChangeId: "a", startDate: "2027-03-01", endDate: "2028-02-29", rentCents: 0 },
      { rentChangeId: "b", startDate: "2028-03-01", endDate: null, rentCents: 300 },
    ]);
  });
});
