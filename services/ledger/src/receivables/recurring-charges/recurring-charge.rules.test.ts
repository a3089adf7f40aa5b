import { describe, expect, test } from "@jest/globals";
import { addDays, addMonths, daysInMonth, endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import fc from "fast-check";
import { duePeriods, recurringChargeFlow, type DuePeriod, type Rule } from "./recurring-charge.rules.ts";

const statuses = ["draft", "active", "paused", "ended"] as const;
const allowed = new Set(["draft active", "draft ended", "active paused", "active ended", "paused active", "paused ended"]);

/** The rent of a lease from January the first, on the first, for ever. */
const aRent = (terms: Partial<Rule> = {}): Rule => ({
  amountCents: 100_000,
  dayOfMonth: 1,
  startDate: "2026-01-01",
  endDate: null,
  postFrom: terms.startDate ?? "2026-01-01",
  isLeaseRent: true,
  proratesFirstMonth: true,
  ...terms,
});
const aFee = (terms: Partial<Rule> = {}): Rule => aRent({ amountCents: 5_000, isLeaseRent: false, proratesFirstMonth: false, ...terms });
const due = (rule: Rule, through: string) => duePeriods(rule, through, "actual_days");
const dueDates = (rule: Rule, through: string) => due(rule, through).map(({ dueDate }) => dueDate);

describe("recurringChargeFlow", () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))("from %s to %s", (from, to) => {
    if (allowed.has(`${from} ${to}`)) expect(recurringChargeFlow.transition(from, to)).toBe(to);
    else expect(() => recurringChargeFlow.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("the due day", () => {
  test.each([
    [29, 2026, ["2026-01-29", "2026-02-28", "2026-03-29"]],
    [30, 2026, ["2026-01-30", "2026-02-28", "2026-03-30"]],
    [31, 2026, ["2026-01-31", "2026-02-28", "2026-03-31"]],
    [29, 2028, ["2028-01-29", "2028-02-29", "2028-03-29"]],
    [30, 2028, ["2028-01-30", "2028-02-29", "2028-03-30"]],
    [31, 2028, ["2028-01-31", "2028-02-29", "2028-03-31"]],
  ])("the %ith in %i is counted from the rule in each month anew", (dayOfMonth, year, expected) => {
    const startDate = `${year}-01-01`;
    expect(dueDates(aRent({ dayOfMonth, startDate }), `${year}-03-31`)).toEqual(expected);
    expect(dueDates(aFee({ dayOfMonth, startDate }), `${year}-03-31`)).toEqual(expected);
  });

  test("makes a charge due from that day on and not the day before", () => {
    expect(due(aRent({ dayOfMonth: 15 }), "2026-01-14")).toEqual([]);
    expect(dueDates(aRent({ dayOfMonth: 15 }), "2026-01-15")).toEqual(["2026-01-15"]);
  });

  test("months that fall due before postFrom are not charged, the one on that day is", () => {
    expect(dueDates(aRent({ postFrom: "2026-03-02" }), "2026-04-30")).toEqual(["2026-04-01"]);
    expect(dueDates(aRent({ postFrom: "2026-03-01" }), "2026-04-30")).toEqual(["2026-03-01", "2026-04-01"]);
  });
});

describe("the rent of a lease", () => {
  const first = (terms: Partial<Rule>) => due(aRent(terms), "2026-01-31")[0];
  const last = (terms: Partial<Rule>) => due(aRent(terms), "2026-12-31").at(-1);

  test("is charged by the day in the month it starts in, due on its first day at the earliest", () => {
    expect(first({ startDate: "2026-01-10" })).toEqual({ periodStart: "2026-01-10", periodEnd: "2026-01-31", dueDate: "2026-01-10", amountCents: 70_968 });
    expect(first({ startDate: "2026-01-10", dayOfMonth: 20 })?.dueDate).toBe("2026-01-20");
  });
  test("is charged whole in that month when the lease says so", () => {
    expect(first({ startDate: "2026-01-10", proratesFirstMonth: false })?.amountCents).toBe(100_000);
  });
  test("is not prorated when it starts on day one", () => {
    expect(first({})).toEqual({ periodStart: "2026-01-01", periodEnd: "2026-01-31", dueDate: "2026-01-01", amountCents: 100_000 });
  });
  test("is charged by the day in the month it ends in, due before it ends", () => {
    const march = { periodStart: "2026-03-01", periodEnd: "2026-03-15", amountCents: 48_387 };
    expect(last({ endDate: "2026-03-15" })).toEqual({ ...march, dueDate: "2026-03-01" });
    expect(last({ endDate: "2026-03-15", dayOfMonth: 31 })).toEqual({ ...march, dueDate: "2026-03-15" });
  });
  test("is not prorated when it ends on the last day of a month", () => {
    expect(last({ endDate: "2026-02-28" })).toEqual({ periodStart: "2026-02-01", periodEnd: "2026-02-28", dueDate: "2026-02-01", amountCents: 100_000 });
  });
  test("of a lease within one month costs its days", () => {
    expect(due(aRent({ startDate: "2026-01-10", endDate: "2026-01-20" }), "2026-12-31")).toEqual([
      { periodStart: "2026-01-10", periodEnd: "2026-01-20", dueDate: "2026-01-10", amountCents: 35_484 },
    ]);
  });
  test("of a month by whose method it costs nothing is not charged", () => {
    expect(due(aRent({ amountCents: 1, startDate: "2026-01-31", endDate: "2026-01-31" }), "2026-12-31")).toEqual([]);
  });
});

describe("a fee", () => {
  test("is charged whole in each month whose due day lies within the rule", () => {
    const fee = aFee({ dayOfMonth: 10, startDate: "2026-01-11", endDate: "2026-04-09" });
    expect(due(fee, "2026-12-31").map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([
      ["2026-02-10", 5_000],
      ["2026-03-10", 5_000],
    ]);
  });
  test("is charged on the first and on the last day of the rule", () => {
    expect(dueDates(aFee({ dayOfMonth: 10, startDate: "2026-01-10", endDate: "2026-02-10" }), "2026-12-31")).toEqual(["2026-01-10", "2026-02-10"]);
  });
});

const day = fc.integer({ min: 0, max: 1_500 }).map((days) => addDays("2026-11-01", days));
const aRule = fc
  .record({
    isLeaseRent: fc.boolean(),
    proratesFirstMonth: fc.boolean(),
    dayOfMonth: fc.integer({ min: 1, max: 31 }),
    startDate: day,
    length: fc.option(fc.nat(900)),
    amountCents: fc.integer({ min: 100, max: 1_000_000 }),
  })
  .map(({ length, ...terms }) => aRent({ ...terms, postFrom: terms.startDate, endDate: length === null ? null : addDays(terms.startDate, length) }));

describe("posting", () => {
  test("on any days, any number of times and in any order gives what one run on the last of them gives", () => {
    fc.assert(
      fc.property(aRule, fc.array(day, { minLength: 1, maxLength: 20 }), (rule, days) => {
        const charged = new Map<string, DuePeriod>();
        for (const through of days) for (const period of due(rule, through)) if (!charged.has(period.periodStart)) charged.set(period.periodStart, period);
        const atOnce = due(rule, days.reduce(maxDate));
        expect([...charged.values()].sort((a, b) => (a.periodStart < b.periodStart ? -1 : 1))).toEqual(atOnce);
      }),
    );
  });

  test("covers every day of a lease exactly once, each month at its rent", () => {
    const leases = aRule.filter(({ isLeaseRent, proratesFirstMonth, endDate }) => isLeaseRent && proratesFirstMonth && endDate !== null);
    fc.assert(
      fc.property(leases, (rule) => {
        const periods = due(rule, addMonths(rule.endDate!, 2));
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

  test("falls due within the rule, once a month, never out of order", () => {
    fc.assert(
      fc.property(aRule, day, (rule, through) => {
        const periods = due(rule, through);
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
