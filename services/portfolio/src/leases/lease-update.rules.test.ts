import { describe, expect, test } from "@jest/globals";
import { requireChangeableTerms, requireValidTerm, changesChargedTerms } from "./lease-update.rules.ts";

const errorOf = (check: () => void) => {
  try {
    check();
  } catch (error) {
    const { status, code, errors } = error as { status: number; code: string; errors: { path: string; code: string }[] };
    return [status, code, ...errors.map(({ path }) => path)];
  }
  return "ok";
};

describe("changesChargedTerms", () => {
  test.each([
    [{}, false],
    [{ endDate: null }, false],
    [{ rentChargeDay: 3 }, false],
    [{ rentCents: 0 as never }, true],
    [{ unitId: "u" }, true],
    [{ prorateFirstMonth: true }, true],
  ])("for %j returns %s", (changes, expected) => expect(changesChargedTerms(changes)).toBe(expected));
});

describe("requireChangeableTerms", () => {
  const changes = { rentCents: 1 as never, startDate: "2027-01-01", unitId: "u", tenantId: "t", endDate: "2028-02-29" };
  const posted = { hasUnreversedEntries: true };
  test("refuses changes of the rent, start date, unit and tenant of an active lease", () => {
    expect(errorOf(() => requireChangeableTerms({ status: "active" }, changes))).toEqual([
      409,
      "resource_in_use",
      "rentCents",
      "startDate",
      "unitId",
      "tenantId",
    ]);
    expect(errorOf(() => requireChangeableTerms({ status: "active" }, { endDate: "2028-02-29", lateFeeGraceDays: 3 }, posted))).toBe("ok");
  });
  test("refuses the same changes of a pending lease with postings", () => {
    expect(errorOf(() => requireChangeableTerms({ status: "pending" }, changes, posted))).toEqual([
      409,
      "resource_in_use",
      "rentCents",
      "startDate",
      "unitId",
      "tenantId",
    ]);
    expect(errorOf(() => requireChangeableTerms({ status: "pending" }, changes))).toBe("ok");
  });
  test("allows all changes of a draft, except the unit and tenant of a renewal, or while money is posted on it", () => {
    expect(errorOf(() => requireChangeableTerms({ status: "draft" }, changes))).toBe("ok");
    expect(errorOf(() => requireChangeableTerms({ status: "draft" }, changes, posted))).toEqual([409, "resource_in_use", "unitId", "tenantId"]);
    expect(errorOf(() => requireChangeableTerms({ status: "draft", renewedFromLeaseId: "l" }, changes))).toEqual([
      409,
      "resource_in_use",
      "unitId",
      "tenantId",
    ]);
    expect(errorOf(() => requireChangeableTerms({ status: "draft", renewedFromLeaseId: "l" }, { rentCents: 1 as never, startDate: "2027-01-01" }))).toBe("ok");
  });
  test("refuses changes of the unit and tenant of a lease that has not started while its security deposit has transactions, and names the deposit", () => {
    const change = (status: string, terms: typeof changes | { rentCents: never; startDate: string }) => () =>
      requireChangeableTerms({ status }, terms, { hasUnreversedEntries: false, usedDepositId: "the-deposit" });
    for (const status of ["draft", "pending"]) {
      expect(errorOf(change(status, changes))).toEqual([409, "resource_in_use", "unitId", "tenantId"]);
      expect(change(status, changes)).toThrow("the-deposit");
      expect(errorOf(change(status, { rentCents: 1 as never, startDate: "2027-01-01" }))).toBe("ok");
    }
  });
  test("refuses changes of the end of a lease with an activated renewal", () => {
    const superseded = { status: "active", supersededFrom: "2028-03-01" };
    expect(errorOf(() => requireChangeableTerms(superseded, { endDate: null, termType: "month_to_month" }))).toEqual([
      409,
      "resource_in_use",
      "endDate",
      "termType",
    ]);
    expect(errorOf(() => requireChangeableTerms(superseded, { rentChargeDay: 3 }))).toBe("ok");
  });
});

describe("requireValidTerm", () => {
  test.each([
    ["fixed", "2028-02-29", "2028-02-29", "ok"],
    ["fixed", "2028-02-29", "2028-02-28", [400, "validation_failed", "endDate"]],
    ["fixed", "2028-02-29", null, [400, "validation_failed", "endDate"]],
    ["fixed_with_rollover", "2027-01-31", null, [400, "validation_failed", "endDate"]],
    ["month_to_month", "2027-01-31", null, "ok"],
    ["month_to_month", "2027-01-31", "2027-01-30", [400, "validation_failed", "endDate"]],
  ])("a %s lease from %s to %s: %j", (termType, startDate, endDate, expected) =>
    expect(errorOf(() => requireValidTerm({ termType, startDate, endDate }))).toEqual(expected),
  );
});
