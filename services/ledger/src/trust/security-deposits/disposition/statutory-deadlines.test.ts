import { describe, expect, test } from "@jest/globals";
import { deadlineOf, deadlineOfDeposit, dispositionDueOn, remainingDays } from "./statutory-deadlines.ts";
import { statutoryRows } from "./statutory-deadlines.table.ts";

const policyOf = (policy: number, policyByState: Record<string, number> = {}) => ({ property: null, policy, policyByState });

describe("the deadline of a disposition", () => {
  test("has the days of the state, with their source and date, marked as unverified", () => {
    expect(deadlineOf("NY", policyOf(30))).toEqual({
      days: 14,
      source: expect.stringContaining("NY"),
      checkedOn: expect.stringMatching(/^\d{4}-/),
      isUnverified: true,
    });
    expect(deadlineOf("CA", policyOf(30)).days).toBe(21);
    // The default of the policy shortens no statute.
    expect(deadlineOf("IN", policyOf(30)).days).toBe(45);
  });

  test("is earlier when the organization has changed its policy to fewer days", () => {
    expect(deadlineOf("NY", policyOf(10))).toMatchObject({ days: 10, isUnverified: false, checkedOn: null });
    expect(deadlineOf("IN", policyOf(29)).days).toBe(29);
  });

  test.each([
    ["WA", 30],
    ["FL", 30],
    ["IN", 20],
    ["NM", 25],
  ])("is that of the policy for %s in either direction, whatever the statute and the other policy are", (state, days) => {
    expect(deadlineOf(state, policyOf(10, { [state]: days }))).toMatchObject({ days, isUnverified: false, checkedOn: null });
    expect(deadlineOf("TX", policyOf(30, { [state]: days }))).toMatchObject({ days: 30, isUnverified: true });
  });

  test("is that of the property when it sets one", () => {
    expect(deadlineOf("NY", { ...policyOf(10, { NY: 45 }), property: 21 })).toMatchObject({ days: 21, isUnverified: false });
  });

  test("of a deposit has the days to its own day, unless the current days give that day or there is no move-out", () => {
    const current = deadlineOf("NY", policyOf(30));
    expect(deadlineOfDeposit(current, { moveOutDate: "2026-02-20", dispositionDueOn: "2026-03-06" })).toBe(current);
    expect(deadlineOfDeposit(current, { moveOutDate: null, dispositionDueOn: null })).toBe(current);
    const own = { days: 10, source: "dispositionDueOn of the security deposit", checkedOn: null, isUnverified: false };
    expect(deadlineOfDeposit(current, { moveOutDate: "2026-02-20", dispositionDueOn: "2026-03-02" })).toEqual(own);
  });

  test.each([["ZZ"], [null]])("is that of the policy for the state %s", (state) => {
    expect(deadlineOf(state, policyOf(30))).toMatchObject({ days: 30, isUnverified: false });
  });

  test("is counted in days from the move-out", () => {
    expect(dispositionDueOn("2026-02-20", deadlineOf("NY", policyOf(30)))).toBe("2026-03-06");
    expect([remainingDays("2026-03-06", "2026-03-01"), remainingDays("2026-03-06", "2026-03-07")]).toEqual([5, -1]);
  });
});

describe("the table of the states", () => {
  test.each(statutoryRows.map((row) => [row.state, row] as const))("has days, a source of its own and the day of its reading for %s", (state, row) => {
    expect(row).toEqual({
      state: expect.stringMatching(/^[A-Z]{2}$/),
      days: expect.any(Number),
      note: row.note === null ? null : expect.stringMatching(/./),
      source: expect.stringMatching(/\d/),
      checkedOn: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
      isUnverified: true,
    });
    expect(row.days >= 10 && row.days <= 60).toBe(true);
    expect(deadlineOf(state, policyOf(365))).toMatchObject({ days: row.days, source: expect.stringContaining(row.source), checkedOn: row.checkedOn });
  });

  test("has each state and each source once", () => {
    for (const values of [statutoryRows.map(({ state }) => state), statutoryRows.map(({ source }) => source)])
      expect(new Set(values).size).toBe(statutoryRows.length);
  });
});
