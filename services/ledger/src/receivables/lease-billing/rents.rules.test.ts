import { describe, expect, test } from "@jest/globals";
import { firstRent, rentsOf } from "./rents.rules.ts";

const change = (id: string, effectiveDate: string, previousRentCents: number, rentCents: number) => ({ id, effectiveDate, previousRentCents, rentCents });

describe("the rents of a lease", () => {
  test("are one, without an end, while nothing changed", () => {
    const lease = { startDate: "2026-01-15", rentCents: 100, rentChanges: [] };
    expect(firstRent(lease)).toBe(100);
    expect(rentsOf(lease)).toEqual([{ changeId: null, from: "2026-01-15", until: null, cents: 100 }]);
  });

  test("follow each other without a gap; the first is what the lease began with, whatever it costs today", () => {
    const rentChanges = [change("a", "2027-03-01", 100, 0), change("b", "2028-03-01", 0, 300)];
    const lease = { startDate: "2026-01-15", rentCents: 300, rentChanges };
    expect(firstRent(lease)).toBe(100);
    expect(rentsOf(lease)).toEqual([
      { changeId: null, from: "2026-01-15", until: "2027-02-28", cents: 100 },
      { changeId: "a", from: "2027-03-01", until: "2028-02-29", cents: 0 },
      { changeId: "b", from: "2028-03-01", until: null, cents: 300 },
    ]);
  });
});
