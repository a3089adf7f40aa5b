import { describe, expect, test } from "@jest/globals";
import { refuseAgreed, refuseImpossibleDays, touchesAgreed } from "./lease-change.rules.ts";

const refused = (work: () => void) => {
  try {
    work();
  } catch (error) {
    const { status, code, errors } = error as { status: number; code: string; errors: { path: string; code: string }[] };
    return [status, code, ...errors.map(({ path }) => path)];
  }
  return "fine";
};

describe("touchesAgreed", () => {
  test.each([
    [{}, false],
    [{ endDate: null }, false],
    [{ rentChargeDay: 3 }, false],
    [{ rentCents: 0 as never }, true],
    [{ unitId: "u" }, true],
  ])("of %j is %s", (changes, expected) => expect(touchesAgreed(changes)).toBe(expected));
});

describe("refuseAgreed", () => {
  const changes = { rentCents: 1 as never, startDate: "2027-01-01", unitId: "u", tenantId: "t", endDate: "2028-02-29" };
  test("keeps rent, start, unit and tenant of an active lease", () => {
    expect(refused(() => refuseAgreed({ status: "active" }, changes, false))).toEqual([409, "resource_in_use", "rentCents", "startDate", "unitId", "tenantId"]);
    expect(refused(() => refuseAgreed({ status: "active" }, { endDate: "2028-02-29", lateFeeGraceDays: 3 }, true))).toBe("fine");
  });
  test("keeps them of a pending lease once money is posted", () => {
    expect(refused(() => refuseAgreed({ status: "pending" }, changes, true))).toEqual([409, "resource_in_use", "rentCents", "startDate", "unitId", "tenantId"]);
    expect(refused(() => refuseAgreed({ status: "pending" }, changes, false))).toBe("fine");
  });
  test("lets a draft change wholly, but for the place and the tenant of a renewal", () => {
    expect(refused(() => refuseAgreed({ status: "draft" }, changes, true))).toBe("fine");
    expect(refused(() => refuseAgreed({ status: "draft", renewedFromLeaseId: "l" }, changes, false))).toEqual([409, "resource_in_use", "unitId", "tenantId"]);
    expect(refused(() => refuseAgreed({ status: "draft", renewedFromLeaseId: "l" }, { rentCents: 1 as never, startDate: "2027-01-01" }, false))).toBe("fine");
  });
  test("keeps the end of a lease whose renewal is to start", () => {
    const followed = { status: "active", supersededFrom: "2028-03-01" };
    expect(refused(() => refuseAgreed(followed, { endDate: null, termType: "month_to_month" }, false))).toEqual([
      409,
      "resource_in_use",
      "endDate",
      "termType",
    ]);
    expect(refused(() => refuseAgreed(followed, { rentChargeDay: 3 }, false))).toBe("fine");
  });
});

describe("refuseImpossibleDays", () => {
  test.each([
    ["fixed", "2028-02-29", "2028-02-29", "fine"],
    ["fixed", "2028-02-29", "2028-02-28", [400, "validation_failed", "endDate"]],
    ["fixed", "2028-02-29", null, [400, "validation_failed", "endDate"]],
    ["fixed_with_rollover", "2027-01-31", null, [400, "validation_failed", "endDate"]],
    ["month_to_month", "2027-01-31", null, "fine"],
    ["month_to_month", "2027-01-31", "2027-01-30", [400, "validation_failed", "endDate"]],
  ])("a %s lease from %s to %s", (termType, startDate, endDate, expected) =>
    expect(refused(() => refuseImpossibleDays({ termType, startDate, endDate }))).toEqual(expected),
  );
});
