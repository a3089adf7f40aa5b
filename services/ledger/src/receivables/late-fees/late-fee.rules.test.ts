import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { assessCharge, chargeLateFeeTerms, lateFeeDay, type RentToAssess, type ChargeLateFeeTerms, type LateFeeTerms } from "./late-fee.rules.ts";

const terms = (changes: Partial<ChargeLateFeeTerms> = {}): ChargeLateFeeTerms => ({
  type: "flat",
  amountCents: 5_000,
  percentBps: 0,
  graceDays: 3,
  maxCents: null,
  maxBps: null,
  ...changes,
});
/** Returns a charge of 1000.00 due on the 1st, so with three days of grace its late fee is due on the 5th. */
const charge = (changes: Partial<RentToAssess> = {}): RentToAssess => ({
  amountCents: 100_000,
  dueDate: "2026-03-01",
  terms: terms(),
  settlements: [],
  fees: [],
  ...changes,
});
/** Returns the assessed fees as text, followed by the next day to assess. */
const summarizeAssessment = (rent: RentToAssess, through: string) => {
  const { fees, nextDay } = assessCharge(rent, through);
  return [...fees.map(({ date, amountCents, reason }) => `${date} ${reason ?? amountCents}`), nextDay];
};

describe("lateFeeDay", () => {
  test.each([
    ["2026-03-01", 3, "2026-03-05"],
    ["2026-03-01", 0, "2026-03-02"],
    ["2026-02-27", 5, "2026-03-05"],
  ])("of a charge due %s with %i days of grace is %s", (dueDate, graceDays, expected) => {
    expect(lateFeeDay(dueDate, { graceDays })).toBe(expected);
  });
});

describe("chargeLateFeeTerms", () => {
  const lease: LateFeeTerms = { type: "flat", amountCents: 5_000, percentBps: 0, graceDays: 3 };
  const policies = { lateFeeMaxCents: 7_500, lateFeeMaxBps: 800 } as never;
  test("are those of the lease with the limits of the policies", () => {
    expect(chargeLateFeeTerms(lease, policies)).toEqual({ ...lease, maxCents: 7_500, maxBps: 800 });
  });
  test.each([null, { ...lease, type: "none" as const }, { ...lease, amountCents: 0 }, { ...lease, type: "percent" as const }])("are null for %j", (lateFee) => {
    expect(chargeLateFeeTerms(lateFee, policies)).toBeNull();
  });
});

describe("assessCharge", () => {
  test.each<[string, Partial<RentToAssess>, unknown[]]>([
    ["a flat fee", {}, ["2026-03-05 5000", null]],
    ["a flat fee in full for partly paid rent", { settlements: [{ settledOn: "2026-03-02", amountCents: 99_999 }] }, ["2026-03-05 5000", null]],
    [
      "no fee for rent that was received on the last day of grace",
      { settlements: [{ settledOn: "2026-03-04", amountCents: 100_000 }] },
      ["2026-03-05 paid_in_time", null],
    ],
    ["a fee for rent that was received on the day of the fee", { settlements: [{ settledOn: "2026-03-05", amountCents: 100_000 }] }, ["2026-03-05 5000", null]],
    [
      "a percentage of the open amount, rounded down",
      { terms: terms({ type: "percent", percentBps: 333 }), settlements: [{ settledOn: "2026-03-02", amountCents: 1 }] },
      ["2026-03-05 3329", null],
    ],
    ["a fee capped at the limit in cents", { terms: terms({ maxCents: 4_000 }) }, ["2026-03-05 4000", null]],
    ["a fee capped at the limit in basis points", { terms: terms({ maxBps: 100 }) }, ["2026-03-05 1000", null]],
    ["no fee with a limit of zero", { terms: terms({ maxCents: 0 }) }, ["2026-03-05 limit_reached", null]],
    ["no fee of less than a cent", { amountCents: 10, terms: terms({ type: "percent", percentBps: 100 }) }, ["2026-03-05 no_amount", null]],
    ["no second fee", { fees: [{ dayIndex: 0, amountCents: 5_000 }] }, ["2026-03-05 already_assessed", null]],
    ["no second fee after a void", { fees: [{ dayIndex: 0, amountCents: 0 }] }, ["2026-03-05 already_assessed", null]],
  ])("assesses %s", (_, changes, expected) => {
    expect(summarizeAssessment(charge(changes), "2026-04-01")).toEqual(expected);
  });

  const daily = (changes: Partial<RentToAssess> = {}, limits: Partial<ChargeLateFeeTerms> = {}) =>
    charge({ terms: terms({ type: "daily", amountCents: 1_000, ...limits }), ...changes });

  test.each<[string, RentToAssess, unknown[]]>([
    ["every day while the charge is open", daily(), ["2026-03-05 1000", "2026-03-06 1000", "2026-03-07 1000", "2026-03-08"]],
    ["the days up to the payment", daily({ settlements: [{ settledOn: "2026-03-06", amountCents: 100_000 }] }), ["2026-03-05 1000", "2026-03-06 1000", null]],
    ["the days up to the limit, the last one in part", daily({}, { maxCents: 1_500 }), ["2026-03-05 1000", "2026-03-06 500", "2026-03-07 limit_reached", null]],
    [
      "the days that are not assessed yet",
      daily({
        fees: [
          { dayIndex: 0, amountCents: 1_000 },
          { dayIndex: 1, amountCents: 0 },
        ],
      }),
      ["2026-03-07 1000", "2026-03-08"],
    ],
  ])("assesses a daily fee for %s", (_, rent, expected) => {
    expect(summarizeAssessment(rent, "2026-03-07")).toEqual(expected);
  });

  test("gives the same daily fees in one run as in a run every day, never above the limit", () => {
    const day = (offset: number) => `2026-03-${String(5 + offset).padStart(2, "0")}`;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 12_000 }), (lastDay, maxCents) => {
        const rent = daily({}, { maxCents });
        const atOnce = assessCharge(rent, day(lastDay)).fees.filter(({ amountCents }) => amountCents > 0);
        const byDay: { dayIndex: number; amountCents: number }[] = [];
        for (let offset = 0; offset <= lastDay; offset++)
          byDay.push(...assessCharge({ ...rent, fees: byDay }, day(offset)).fees.filter(({ amountCents }) => amountCents > 0));
        expect(byDay).toEqual(atOnce);
        expect(byDay.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(Math.min(maxCents, 1_000 * (lastDay + 1)));
      }),
    );
  });
});
