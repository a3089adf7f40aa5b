import { describe, expect, test } from "@jest/globals";
import { lastRentDay, requireNotCharged, requireDuringLease, requireDeletable, rentOn, rentPeriods } from "./rent-change.rules.ts";

const change = (effectiveDate: string, previousRentCents: number, rentCents: number) => ({ effectiveDate, previousRentCents, rentCents });
const changes = [change("2027-03-01", 100, 200), change("2028-02-29", 200, 300)];

describe("rentOn and rentPeriods", () => {
  test.each([
    ["2026-01-01", 100],
    ["2027-02-28", 100],
    ["2027-03-01", 200],
    ["2028-02-28", 200],
    ["2028-02-29", 300],
    ["2099-01-01", 300],
  ])("the rent on %s is %i cents", (day, rentCents) => {
    expect(rentOn(100, changes, day)).toBe(rentCents);
  });

  test("there is one period without changes, and one per rent with changes", () => {
    expect(rentPeriods(500, [], "2026-01-01", "2026-12-31")).toEqual([{ from: "2026-01-01", to: "2026-12-31", rentCents: 500 }]);
    expect(rentPeriods(300, changes, "2027-02-28", "2028-02-29")).toEqual([
      { from: "2027-02-28", to: "2027-02-28", rentCents: 100 },
      { from: "2027-03-01", to: "2028-02-28", rentCents: 200 },
      { from: "2028-02-29", to: "2028-02-29", rentCents: 300 },
    ]);
    expect(rentPeriods(300, changes, "2027-03-01", "2027-03-01")).toEqual([{ from: "2027-03-01", to: "2027-03-01", rentCents: 200 }]);
  });
});

describe("lastRentDay", () => {
  const dates = { startDate: "2026-01-01", endDate: "2026-12-31" };
  test.each([
    ["a fixed term", { ...dates, termType: "fixed" }, "2026-12-31"],
    ["a term with rollover", { ...dates, termType: "fixed_with_rollover" }, null],
    ["a month-to-month term", { ...dates, termType: "month_to_month" }, null],
    ["a superseded month-to-month term", { ...dates, termType: "month_to_month", supersededFrom: "2026-07-01" }, "2026-06-30"],
    ["a fixed term superseded before its end", { ...dates, termType: "fixed", supersededFrom: "2026-07-01" }, "2026-06-30"],
  ])("of %s", (_, lease, expected) => {
    expect(lastRentDay(lease)).toBe(expected);
  });
});

describe("requireDuringLease, requireNotCharged and requireDeletable", () => {
  const lease = { startDate: "2026-01-01", endDate: "2026-12-31", termType: "fixed" };
  const invalidWith = (code: string) => expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "effectiveDate", code })] });

  test("accept effective dates after the first day of the lease, up to the last", () => {
    expect(() => requireDuringLease(lease, "2026-01-01")).toThrow(invalidWith("before_start"));
    expect(() => requireDuringLease(lease, "2026-01-02")).not.toThrow();
    expect(() => requireDuringLease(lease, "2026-12-31")).not.toThrow();
    expect(() => requireDuringLease(lease, "2027-01-01")).toThrow(invalidWith("max"));
  });

  test("accept effective dates after the last charged day", () => {
    const chargedError = expect.objectContaining({ status: 409, code: "resource_in_use", message: expect.stringContaining("Choose 2026-03-01 or later") });
    expect(() => requireNotCharged("2026-02-28", "2026-02-28")).toThrow(chargedError);
    expect(() => requireNotCharged("2026-03-01", "2026-02-28")).not.toThrow();
    expect(() => requireNotCharged("2026-01-02", undefined)).not.toThrow();
  });

  test("accept a deletion before the effective date, unless rent was charged for that date", () => {
    expect(() => requireDeletable("2026-05-02", "2026-05-01", "2026-05-01")).not.toThrow();
    expect(() => requireDeletable("2026-05-01", "2026-05-01", undefined)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
    expect(() => requireDeletable("2026-05-02", "2026-05-01", "2026-05-31")).toThrow(expect.objectContaining({ status: 409, code: "resource_in_use" }));
  });
});
