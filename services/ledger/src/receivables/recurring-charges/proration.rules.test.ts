import { describe, expect, test } from "@jest/globals";
import { addDays, daysBetween, daysInMonth, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import fc from "fast-check";
import { prorate, prorationLines } from "./proration.rules.ts";

const methods = ["actual_days", "thirty_day", "annual_365"] as const;
const rentCents = 100_000;

describe("prorate", () => {
  // Expected by calculator: days × rent ÷ days of the month, days × rent ÷ 30, and days × 12 rents ÷ 365.
  test.each([
    ["2026-01-10", "2026-01-31", 70_968, 73_333, 72_329],
    ["2026-02-15", "2026-02-28", 50_000, 46_667, 46_027],
    ["2028-02-15", "2028-02-29", 51_724, 50_000, 49_315],
    ["2026-04-30", "2026-04-30", 3_333, 3_333, 3_288],
    ["2026-03-02", "2026-03-31", 96_774, 100_000, 98_630],
    ["2026-03-01", "2026-03-15", 48_387, 50_000, 49_315],
  ])("%s to %s costs %i by actual_days, %i by thirty_day, %i by annual_365", (from, to, ...expected) => {
    expect(methods.map((method) => prorate(method, rentCents, from, to))).toEqual(expected);
  });

  test.each(["2026-01-01", "2026-02-01", "2028-02-01", "2026-04-01"])("the whole month of %s costs the full rent by every method", (month) => {
    for (const method of methods) expect(prorate(method, rentCents, month, endOfMonth(month))).toBe(rentCents);
  });

  test("rounds half a cent up", () => {
    expect(prorate("actual_days", 1, "2026-04-01", "2026-04-15")).toBe(1);
    expect(prorate("actual_days", 3, "2026-04-01", "2026-04-15")).toBe(2);
    expect(prorate("actual_days", 1, "2026-04-01", "2026-04-14")).toBe(0);
  });

  test("is exact for the largest safe integer", () => {
    expect(prorate("actual_days", 9_007_199_254_740_991, "2026-04-01", "2026-04-15")).toBe(4_503_599_627_370_496);
    expect(prorate("actual_days", 9_007_199_254_740_991, "2026-01-01", "2026-01-30")).toBe(8_716_644_440_071_927);
  });

  test("lies between 0 and the rent and never decreases with more days", () => {
    const arbitraryRange = fc.record({
      method: fc.constantFrom(...methods),
      monthlyRentCents: fc.integer({ min: 1, max: 10_000_000 }),
      from: fc.integer({ min: 0, max: 4_000 }).map((days) => addDays("2023-01-01", days)),
      daysAfterFirst: fc.nat(30),
    });
    fc.assert(
      fc.property(arbitraryRange, ({ method, monthlyRentCents, from, daysAfterFirst }) => {
        const to = addDays(from, Math.min(daysAfterFirst, daysBetween(from, endOfMonth(from))));
        const amountCents = prorate(method, monthlyRentCents, from, to);
        expect(amountCents).toBeGreaterThanOrEqual(0);
        expect(amountCents).toBeLessThanOrEqual(monthlyRentCents);
        if (from < to) expect(prorate(method, monthlyRentCents, from, addDays(to, -1))).toBeLessThanOrEqual(amountCents);
      }),
    );
  });

  test("by actual_days the two parts of a month sum to the rent, at most one cent above for rounding", () => {
    const month = fc.integer({ min: 0, max: 4_000 }).map((days) => startOfMonth(addDays("2023-01-01", days)));
    fc.assert(
      fc.property(month, fc.integer({ min: 1, max: 27 }), fc.integer({ min: 1, max: 1_000_000 }), (first, days, monthlyRentCents) => {
        expect(daysInMonth(first)).toBeGreaterThan(days);
        const middle = addDays(first, days);
        const sumCents =
          prorate("actual_days", monthlyRentCents, first, addDays(middle, -1)) + prorate("actual_days", monthlyRentCents, middle, endOfMonth(first));
        expect(sumCents - monthlyRentCents).toBeGreaterThanOrEqual(0);
        expect(sumCents - monthlyRentCents).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("prorationLines", () => {
  const line = (from: string, to: string, days: number, daysInPeriod: number, amountCents: number) => ({
    from,
    to,
    days,
    daysInPeriod,
    rentCents,
    amountCents,
  });

  test("returns one line per month, full or partial, across a year end and a leap day", () => {
    expect(prorationLines("actual_days", [{ from: "2027-12-17", to: "2028-02-15", rentCents }])).toEqual([
      line("2027-12-17", "2027-12-31", 15, 31, 48_387),
      line("2028-01-01", "2028-01-31", 31, 31, 100_000),
      line("2028-02-01", "2028-02-15", 15, 29, 51_724),
    ]);
  });

  test.each([
    ["actual_days", 28],
    ["thirty_day", 30],
    ["annual_365", 365],
  ] as const)("by %s has %i days in the period of a February", (method, daysInPeriod) => {
    expect(prorationLines(method, [{ from: "2027-02-15", to: "2027-02-28", rentCents }])).toMatchObject([{ days: 14, daysInPeriod }]);
  });

  test("returns one line per rent within a month", () => {
    const spans = [
      { from: "2026-04-01", to: "2026-04-10", rentCents: 30_000 },
      { from: "2026-04-11", to: "2026-04-30", rentCents: 60_000 },
    ];
    expect(prorationLines("actual_days", spans).map(({ amountCents }) => amountCents)).toEqual([10_000, 40_000]);
  });
});
