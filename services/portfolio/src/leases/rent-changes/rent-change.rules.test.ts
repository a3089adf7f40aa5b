import { describe, expect, test } from "@jest/globals";
import { lastRentDay, requireNotCharged, requireDuringLease, requireRevocable, rentOn, rentPeriods } from "./rent-change.rules.ts";

const change = (effectiveDate: string, previousRentCents: number, rentCents: number) => ({ effectiveDate, previousRentCents, rentCents });
const changes = [change("2027-03-01", 100, 200), change("2028-02-29", 200, 300)];

describe("the rent of a lease", () => {
  test.each([
    ["2026-01-01", 100],
    ["2027-02-28", 100],
    ["2027-03-01", 200],
    ["2028-02-28", 200],
    ["2028-02-29", 300],
    ["2099-01-01", 300],
  ])("on %s is %i", (day, cents) => {
    expect(rentOn(100, changes, day)).toBe(cents);
  });

  test("is one span without changes, and one for each rent with them, whatever it is today", () => {
    expect(rentPeriods(500, [], "2026-01-01", "2026-12-31")).toEqual([{ from: "2026-01-01", to: "2026-12-31", rentCents: 500 }]);
    expect(rentPeriods(300, changes, "2027-02-28", "2028-02-29")).toEqual([
      { from: "2027-02-28", to: "2027-02-28", rentCents: 100 },
      { from: "2027-03-01", to: "2028-02-28", rentCents: 200 },
      { from: "2028-02-29", to: "2028-02-29", rentCents: 300 },
    ]);
    expect(rentPeriods(300, changes, "2027-03-01", "2027-03-01")).toEqual([{ from: "2027-03-01", to: "2027-03-01", rentCents: 200 }]);
  });
});

describe("the last day that a lease has a rent for", () => {
  const ends = { startDate: "2026-01-01", endDate: "2026-12-31" };
  test.each([
    ["a fixed term", { ...ends, termType: "fixed" }, "2026-12-31"],
    ["one that rolls over", { ...ends, termType: "fixed_with_rollover" }, null],
    ["one by the month", { ...ends, termType: "month_to_month" }, null],
    ["one that is followed", { ...ends, termType: "month_to_month", supersededFrom: "2026-07-01" }, "2026-06-30"],
    ["a fixed term that is followed before its end", { ...ends, termType: "fixed", supersededFrom: "2026-07-01" }, "2026-06-30"],
  ])("of %s", (_, lease, last) => {
    expect(lastRentDay(lease)).toBe(last);
  });
});

describe("a rent change", () => {
  const lease = { startDate: "2026-01-01", endDate: "2026-12-31", termType: "fixed" };
  const refusal = (code: string) => expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "effectiveDate", code })] });

  test("comes after the first day and not after the last", () => {
    expect(() => requireDuringLease(lease, "2026-01-01")).toThrow(refusal("before_start"));
    expect(() => requireDuringLease(lease, "2026-01-02")).not.toThrow();
    expect(() => requireDuringLease(lease, "2026-12-31")).not.toThrow();
    expect(() => requireDuringLease(lease, "2027-01-01")).toThrow(refusal("max"));
  });

  test("comes after what is charged", () => {
    const charged = expect.objectContaining({ status: 409, code: "resource_in_use", message: expect.stringContaining("Choose 2026-03-01 or later") });
    expect(() => requireNotCharged("2026-02-28", "2026-02-28")).toThrow(charged);
    expect(() => requireNotCharged("2026-03-01", "2026-02-28")).not.toThrow();
    expect(() => requireNotCharged("2026-01-02", undefined)).not.toThrow();
  });

  test("is taken back before its day and before it is charged", () => {
    expect(() => requireRevocable("2026-05-02", "2026-05-01", "2026-05-01")).not.toThrow();
    expect(() => requireRevocable("2026-05-01", "2026-05-01", undefined)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
    expect(() => requireRevocable("2026-05-02", "2026-05-01", "2026-05-31")).toThrow(expect.objectContaining({ status: 409, code: "resource_in_use" }));
  });
});
