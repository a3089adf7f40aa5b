import { describe, expect, test } from "@jest/globals";
import { addDays, addMonths, daysInMonth, endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import fc from "fast-check";
import { duePeriods, recurringChargeStateMachine, type DuePeriod, type RuleTerms } from "./recurring-charge.rules.ts";

const statuses = ["draft", "active", "paused", "ended"] as const;
const allowedTransitions = new Set(["draft active", "draft ended", "active paused", "active ended", "paused active", "paused ended"]);

/** Returns an open-ended rent that starts on January 1 and is due on the first. */
const aRent = (terms: Partial<RuleTerms> = {}): RuleTerms => ({
  amountCents: 100_000,
  dayOfMonth: 1,
  startDate: "2026-01-01",
  endDate: null,
  postFrom: terms.startDate ?? "2026-01-01",
  isLeaseRent: true,
  proratesFirstMonth: true,
  ...terms,
});
const aFee = (terms: Partial<RuleTerms> = {}): RuleTerms => aRent({ amountCents: 5_000, isLeaseRent: false, proratesFirstMonth: false, ...terms });
const duePeriodsThrough = (rule: RuleTerms, through: string) => duePeriods(rule, through, "actual_days");
const dueDates = (rule: RuleTerms, through: string) => duePeriodsThrough(rule, through).map(({ dueDate }) => dueDate);

describe("recurringChargeStateMachine", () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to, allowedTransitions.has(`${from} ${to}`)] as const)))(
    "%s to %s: allowed %p",
    (from, to, allowed) => {
      if (allowed) expect(recurringChargeStateMachine.transition(from, to)).toBe(to);
      else expect(() => recurringChargeStateMachine.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
    },
  );
});

describe("duePeriods by due date", () => {
  test.each([
    [29, 2026, ["2026-01-29", "2026-02-28", "2026-03-29"]],
    [30, 2026, ["2026-01-30", "2026-02-28", "2026-03-30"]],
    [31, 2026, ["2026-01-31", "2026-02-28", "2026-03-31"]],
    [29, 2028, ["2028-01-29", "2028-02-29", "2028-03-29"]],
    [30, 2028, ["2028-01-30", "2028-02-29", "2028-03-30"]],
    [31, 2028, ["2028-01-31", "2028-02-29", "2028-03-31"]],
  ])("are due on day %i of each month in %i, or on the last day of a shorter month", (dayOfMonth, year, expected) => {
    const startDate = `${year}-01-01`;
    expect(dueDates(aRent({ dayOfMonth, startDate }), `${year}-03-31`)).toEqual(expected);
    expect(dueDates(aFee({ dayOfMonth, startDate }), `${year}-03-31`)).toEqual(expected);
  });

  test("include a period from its due date on", () => {
    expect(duePeriodsThrough(aRent({ dayOfMonth: 15 }), "2026-01-14")).toEqual([]);
    expect(dueDates(aRent({ dayOfMonth: 15 }), "2026-01-15")).toEqual(["2026-01-15"]);
  });

  test("exclude periods due before postFrom, and include a period due on that date", () => {
    expect(dueDates(aRent({ postFrom: "2026-03-02" }), "2026-04-30")).toEqual(["2026-04-01"]);
    expect(dueDates(aRent({ postFrom: "2026-03-01" }), "2026-04-30")).toEqual(["2026-03-01", "2026-04-01"]);
  });
});

describe("duePeriods of rent", () => {
  const first = (terms: Partial<RuleTerms>) => duePeriodsThrough(aRent(terms), "2026-01-31")[0];
  const last = (terms: Partial<RuleTerms>) => duePeriodsThrough(aRent(terms), "2026-12-31").at(-1);

  test("prorates the first month, due on the start date at the earliest", () => {
    expect(first({ startDate: "2026-01-10" })).toEqual({ periodStart: "2026-01-10", periodEnd: "2026-01-31", dueDate: "2026-01-10", amountCents: 70_968 });
    expect(first({ startDate: "2026-01-10", dayOfMonth: 20 })?.dueDate).toBe("2026-01-20");
  });
  test("charges the first month in full without proratesFirstMonth", () => {
    expect(first({ startDate: "2026-01-10", proratesFirstMonth: false })?.amountCents).toBe(100_000);
  });
  test("charges the full rent when it starts on the first", () => {
    expect(first({})).toEqual({ periodStart: "2026-01-01", periodEnd: "2026-01-31", dueDate: "2026-01-01", amountCents: 100_000 });
  });
  test("prorates the last month, due on the end date at the latest", () => {
    const march = { periodStart: "2026-03-01", periodEnd: "2026-03-15", amountCents: 48_387 };
    expect(last({ endDate: "2026-03-15" })).toEqual({ ...march, dueDate: "2026-03-01" });
    expect(last({ endDate: "2026-03-15", dayOfMonth: 31 })).toEqual({ ...march, dueDate: "2026-03-15" });
  });
  test("charges the full rent when it ends on the last day of a month", () => {
    expect(last({ endDate: "2026-02-28" })).toEqual({ periodStart: "2026-02-01", periodEnd: "2026-02-28", dueDate: "2026-02-01", amountCents: 100_000 });
  });
  test("prorates a term within one month", () => {
    expect(duePeriodsThrough(aRent({ startDate: "2026-01-10", endDate: "2026-01-20" }), "2026-12-31")).toEqual([
      { periodStart: "2026-01-10", periodEnd: "2026-01-20", dueDate: "2026-01-10", amountCents: 35_484 },
    ]);
  });
  test("omits a period whose amount rounds to 0", () => {
    expect(duePeriodsThrough(aRent({ amountCents: 1, startDate: "2026-01-31", endDate: "2026-01-31" }), "2026-12-31")).toEqual([]);
  });
});

describe("duePeriods of a fee", () => {
  test("charges each month in full whose due date lies within the term", () => {
    const fee = aFee({ dayOfMonth: 10, startDate: "2026-01-11", endDate: "2026-04-09" });
    expect(duePeriodsThrough(fee, "2026-12-31").map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([
      ["2026-02-10", 5_000],
      ["2026-03-10", 5_000],
    ]);
  });
  test("includes due dates on the start and end date", () => {
    expect(dueDates(aFee({ dayOfMonth: 10, startDate: "2026-01-10", endDate: "2026-02-10" }), "2026-12-31")).toEqual(["2026-01-10", "2026-02-10"]);
  });
});

const arbitraryDay = fc.integer({ min: 0, max: 1_500 }).map((days) => addDays("2026-11-01", days));
const arbitraryRule = fc
  .record({
    isLeaseRent: fc.boolean(),
    proratesFirstMonth: fc.boolean(),
    dayOfMonth: fc.integer({ min: 1, max: 31 }),
    startDate: arbitraryDay,
    termDays: fc.option(fc.nat(900)),
    amountCents: fc.integer({ min: 100, max: 1_000_000 }),
  })
  .map(({ termDays, ...terms }) => aRent({ ...terms, postFrom: terms.startDate, endDate: termDays === null ? null : addDays(terms.startDate, termDays) }));

describe("duePeriods of arbitrary rules", () => {
  test("posted through several dates, in any order, equal those posted once through the latest date", () => {
    fc.assert(
      fc.property(arbitraryRule, fc.array(arbitraryDay, { minLength: 1, maxLength: 20 }), (rule, days) => {
        const postedPeriods = new Map<string, DuePeriod>();
        for (const through of days)
          for (const period of duePeriodsThrough(rule, through)) if (!postedPeriods.has(period.periodStart)) postedPeriods.set(period.periodStart, period);
        const expected = duePeriodsThrough(rule, days.reduce(maxDate));
        expect([...postedPeriods.values()].sort((a, b) => (a.periodStart < b.periodStart ? -1 : 1))).toEqual(expected);
      }),
    );
  });

  test("cover every day of a lease exactly once at the prorated rent", () => {
    const fixedTermRents = arbitraryRule.filter(({ isLeaseRent, proratesFirstMonth, endDate }) => isLeaseRent && proratesFirstMonth && endDate !== null);
    fc.assert(
      fc.property(fixedTermRents, (rule) => {
        const periods = duePeriodsThrough(rule, addMonths(rule.endDate!, 2));
        expect(periods[0]?.periodStart).toBe(rule.startDate);
        expect(periods.at(-1)?.periodEnd).toBe(rule.endDate);
        for (const [index, { periodStart, periodEnd, amountCents }] of periods.entries()) {
          if (index > 0) expect(periodStart).toBe(addDays(periods[index - 1]!.periodEnd, 1));
          const days = Number(periodEnd.slice(8)) - Number(periodStart.slice(8)) + 1;
          expect(amountCents).toBe(Math.floor((rule.amountCents * days) / daysInMonth(periodStart) + 0.5));
        }
      }),
    );
  });

  test("have due dates within the term, at most one per month, in order", () => {
    fc.assert(
      fc.property(arbitraryRule, arbitraryDay, (rule, through) => {
        const periods = duePeriodsThrough(rule, through);
        for (const { dueDate, periodStart } of periods) {
          expect(dueDate >= rule.startDate && dueDate <= (rule.endDate ?? through) && dueDate <= through).toBe(true);
          expect(endOfMonth(dueDate)).toBe(endOfMonth(periodStart));
        }
        const months = periods.map(({ dueDate }) => dueDate.slice(0, 7));
        expect(months).toEqual([...new Set(months)].sort());
      }),
    );
  });
});
