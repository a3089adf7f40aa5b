import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases";
import {
  afterItsEnd,
  endBefore,
  leaseFlow,
  occupantsOf,
  refuseEarlyRenewal,
  refuseMoveOutBeforeStart,
  refuseStartAfterEnd,
  refuseTerminationBeforeStart,
  refuseUnlessActive,
  requireStatus,
  statusOnceActivated,
} from "./lease.rules.ts";

const allowed = new Set([
  "draft active",
  "draft pending",
  "draft cancelled",
  "pending active",
  "pending cancelled",
  "active renewed",
  "active expired",
  "active terminated",
  "expired terminated",
]);
const cells = leaseStatuses.flatMap((from) => leaseStatuses.map((to) => [from, to] as const));

describe("leaseFlow", () => {
  test.each(cells)("from %s to %s", (from, to) => {
    if (allowed.has(`${from} ${to}`)) expect(leaseFlow.transition(from, to)).toBe(to);
    else expect(() => leaseFlow.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("statusOnceActivated", () => {
  test.each([
    ["2028-02-29", "2028-02-28", "pending"],
    ["2028-02-29", "2028-02-29", "active"],
    ["2028-02-29", "2028-03-01", "active"],
  ])("a lease from %s is on %s %s", (start, today, status) => expect(statusOnceActivated(start, today)).toBe(status));
});

describe("occupantsOf", () => {
  const terms = { tenantId: "t1", startDate: "2027-01-01", occupants: [] };
  const refused = (occupants: object[]) => {
    try {
      occupantsOf({ ...terms, occupants: occupants as never });
    } catch (error) {
      return (error as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => `${path} ${code}`);
    }
    return [];
  };

  test("makes the tenant the primary occupant when nobody is named", () => {
    expect(occupantsOf(terms)).toEqual([{ tenantId: "t1", role: "primary", isPrimary: true, moveInDate: "2027-01-01" }]);
  });
  test("adds the tenant to those who are named", () => {
    expect(occupantsOf({ ...terms, occupants: [{ tenantId: "t2", role: "co_tenant" }] }).map(({ tenantId, isPrimary }) => [tenantId, isPrimary])).toEqual([
      ["t1", true],
      ["t2", false],
    ]);
  });
  test("keeps the tenant where it is named", () => {
    const named = occupantsOf({
      ...terms,
      occupants: [
        { fullName: "A child", role: "occupant" },
        { tenantId: "t1", role: "primary", isPrimary: true },
      ],
    });
    expect(named.map(({ role }) => role)).toEqual(["occupant", "primary"]);
  });
  test("has people move in on their own day, else on the lease's, else when it starts", () => {
    const days = (moveInDate?: string) =>
      occupantsOf({ ...terms, ...(moveInDate && { moveInDate }), occupants: [{ fullName: "A child", role: "occupant", moveInDate: "2027-02-03" }] }).map(
        (one) => one.moveInDate,
      );
    expect(days()).toEqual(["2027-01-01", "2027-02-03"]);
    expect(days("2027-01-15")).toEqual(["2027-01-15", "2027-02-03"]);
  });
  test.each([
    ["another tenant as primary", [{ tenantId: "t2", role: "primary" }], ["occupants.0.role mismatch"]],
    ["a primary without a tenant", [{ fullName: "Somebody", role: "primary" }], ["occupants.0.role mismatch"]],
    ["the tenant in another role", [{ tenantId: "t1", role: "guarantor" }], ["occupants.0.role mismatch"]],
    ["a primary who is said not to be", [{ tenantId: "t1", role: "primary", isPrimary: false }], ["occupants.0.isPrimary mismatch"]],
    ["a co-tenant who is said to be primary", [{ tenantId: "t2", role: "co_tenant", isPrimary: true }], ["occupants.0.isPrimary mismatch"]],
    [
      "a tenant twice",
      [
        { tenantId: "t2", role: "co_tenant" },
        { tenantId: "t2", role: "occupant" },
      ],
      ["occupants.1.tenantId unique"],
    ],
  ])("refuses %s", (_, occupants, errors) => expect(refused(occupants)).toEqual(errors));
});

describe("refuseEarlyRenewal", () => {
  const fixed = { status: "active", termType: "fixed", startDate: "2027-03-01", endDate: "2028-02-29", isHoldover: false };
  const code = (old: Parameters<typeof refuseEarlyRenewal>[0], startDate: string) => {
    try {
      refuseEarlyRenewal(old, startDate, "startDate");
    } catch (error) {
      return (error as { errors: { code: string }[] }).errors[0]!.code;
    }
    return "fine";
  };
  test.each([
    ["2027-02-28", "before_start"],
    ["2027-03-01", "before_start"],
    ["2027-03-02", "overlap"],
    ["2028-02-29", "overlap"],
    ["2028-03-01", "fine"],
  ])("a renewal of a leap year's lease from %s is %s", (startDate, expected) => expect(code(fixed, startDate)).toBe(expected));
  test.each([
    ["by the month", { termType: "month_to_month", endDate: null }],
    ["by the month with an end", { termType: "month_to_month" }],
    ["held over", { isHoldover: true }],
  ])("a lease %s can be followed any day after its start", (_, terms) => {
    expect(code({ ...fixed, ...terms }, "2027-03-01")).toBe("before_start");
    expect(code({ ...fixed, ...terms }, "2027-03-02")).toBe("fine");
  });
});

describe("endBefore", () => {
  test.each([
    [null, "2028-03-01", "2028-02-29"],
    [null, "2027-03-01", "2027-02-28"],
    [null, "2027-01-01", "2026-12-31"],
    ["2027-06-30", "2028-03-01", "2027-06-30"],
    ["2029-06-30", "2028-03-01", "2028-02-29"],
  ])("a lease that ends %s and is followed from %s ends %s", (endDate, startDate, end) => expect(endBefore({ endDate }, startDate)).toBe(end));
});

describe("refusals of days", () => {
  test("a lease can end on the day it starts and not before", () => {
    expect(() => refuseTerminationBeforeStart({ startDate: "2027-03-01" }, "2027-03-01")).not.toThrow();
    expect(() => refuseTerminationBeforeStart({ startDate: "2027-03-01" }, "2027-02-28")).toThrow(expect.objectContaining({ status: 400 }));
  });
  test("a lease can start on its last day and not after", () => {
    expect(() => refuseStartAfterEnd({ endDate: "2028-02-29" }, "2028-02-29")).not.toThrow();
    expect(() => refuseStartAfterEnd({ endDate: null }, "2099-01-01")).not.toThrow();
    expect(() => refuseStartAfterEnd({ endDate: "2028-02-29" }, "2028-03-01")).toThrow(expect.objectContaining({ status: 400 }));
  });
  test.each(leaseStatuses.filter((status) => status !== "active"))("a %s lease cannot be renewed", (status) => {
    expect(() => refuseUnlessActive({ status })).toThrow(expect.objectContaining({ status: 409, code: "lease_not_active" }));
  });
});

describe("requireStatus", () => {
  const possible = {
    "be changed": ["draft", "pending", "active"],
    "be given notice on": ["active"],
    "have its notice withdrawn": ["active"],
    "have its rent changed": ["active"],
    "take in an occupant": ["draft", "pending", "active"],
    "release an occupant": ["active", "expired"],
    "lose an occupant": ["draft", "pending", "active", "expired"],
  } as const;
  const acts = Object.entries(possible) as [keyof typeof possible, readonly string[]][];
  test.each(acts.flatMap(([act, allowed]) => leaseStatuses.map((status) => ({ act, status, isAllowed: allowed.includes(status) }))))(
    "a $status lease can $act: $isAllowed",
    ({ act, status, isAllowed }) => {
      const refusal = expect.objectContaining({ status: 409, code: "invalid_transition", message: expect.stringContaining(`is ${status} and cannot ${act}.`) });
      if (isAllowed) expect(() => requireStatus({ status }, act)).not.toThrow();
      else expect(() => requireStatus({ status }, act)).toThrow(refusal);
    },
  );
});

describe("afterItsEnd", () => {
  test.each([
    ["fixed", false, "expired"],
    ["fixed", true, "expired"],
    ["fixed_with_rollover", false, "by the month"],
    ["fixed_with_rollover", true, "expired"],
  ])("a %s lease whose unit is let to somebody else by then: %s", (termType, isTaken, expected) => expect(afterItsEnd({ termType }, isTaken)).toBe(expected));
});

describe("refuseMoveOutBeforeStart", () => {
  test("lets people plan to move out on the first day and not before", () => {
    expect(() => refuseMoveOutBeforeStart({ startDate: "2028-03-01" }, "2028-03-01")).not.toThrow();
    expect(() => refuseMoveOutBeforeStart({ startDate: "2028-03-01" }, "2028-02-29")).toThrow(expect.objectContaining({ status: 400 }));
  });
});
