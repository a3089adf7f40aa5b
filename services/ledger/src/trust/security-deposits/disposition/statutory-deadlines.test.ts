import { describe, expect, test } from "@jest/globals";
import { deadlineOf, dispositionDueOn, remainingDays } from "./statutory-deadlines.ts";

const policyOf = (policy: number) => ({ property: null, policy });

describe("the deadline of a disposition", () => {
  test("has the days of the state, with their source and date, marked as unverified", () => {
    expect(deadlineOf("NY", policyOf(30))).toEqual({
      days: 14,
      source: expect.stringContaining("NY"),
      checkedOn: expect.stringMatching(/^\d{4}-/),
      isUnverified: true,
    });
    expect(deadlineOf("CA", policyOf(30)).days).toBe(21);
  });

  test("is earlier when the organization's policy has fewer days", () => {
    expect(deadlineOf("NY", policyOf(10))).toMatchObject({ days: 10, isUnverified: false, checkedOn: null });
    expect(deadlineOf("IN", policyOf(30)).days).toBe(30);
  });

  test("is that of the property when it sets one", () => {
    expect(deadlineOf("NY", { property: 21, policy: 10 })).toMatchObject({ days: 21, isUnverified: false });
  });

  test.each([["ZZ"], [null]])("is that of the policy for the state %s", (state) => {
    expect(deadlineOf(state, policyOf(30))).toMatchObject({ days: 30, isUnverified: false });
  });

  test("is counted in days from the move-out", () => {
    expect(dispositionDueOn("2026-02-20", deadlineOf("NY", policyOf(30)))).toBe("2026-03-06");
    expect([remainingDays("2026-03-06", "2026-03-01"), remainingDays("2026-03-06", "2026-03-07")]).toEqual([5, -1]);
  });
});
