import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases/leases";
import {
  endOfTermOutcome,
  endDateBeforeRenewal,
  leaseStateMachine,
  resolveOccupants,
  requireStartAfterPredecessor,
  requireMoveOutAfterStart,
  requireStartBeforeEnd,
  requireTerminationAfterStart,
  requireRenewable,
  requireLeaseStatus,
  activatedStatus,
} from "./lease.rules.ts";

const allowedTransitions = new Set([
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
const transitions = leaseStatuses.flatMap((from) => leaseStatuses.map((to) => [from, to, allowedTransitions.has(`${from} ${to}`)] as const));

describe("leaseStateMachine", () => {
  test.each(transitions)("allows the transition from %s to %s: %s", (from, to, isAllowed) => {
    if (isAllowed) expect(leaseStateMachine.transition(from, to)).toBe(to);
    else expect(() => leaseStateMachine.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("activatedStatus", () => {
  test.each([
    ["2028-02-29", "2028-02-28", "pending"],
    ["2028-02-29", "2028-02-29", "active"],
    ["2028-02-29", "2028-03-01", "active"],
  ])("a lease that starts on %s and is activated on %s becomes %s", (startDate, today, status) => expect(activatedStatus(startDate, today)).toBe(status));
});

describe("resolveOccupants", () => {
  const terms = { tenantId: "t1", startDate: "2027-01-01", occupants: [] };
  const errorsOf = (occupants: object[]) => {
    try {
      resolveOccupants({ ...terms, occupants: occupants as never });
    } catch (error) {
      return (error as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => `${path} ${code}`);
    }
    return [];
  };

  test("adds the tenant as the primary occupant when no occupants are given", () => {
    expect(resolveOccupants(terms)).toEqual([{ tenantId: "t1", role: "primary", isPrimary: true, moveInDate: "2027-01-01" }]);
  });
  test("adds the tenant of the lease before the given occupants", () => {
    expect(resolveOccupants({ ...terms, occupants: [{ tenantId: "t2", role: "co_tenant" }] }).map(({ tenantId, isPrimary }) => [tenantId, isPrimary])).toEqual([
      ["t1", true],
      ["t2", false],
    ]);
  });
  test("keeps the position of the tenant among the given occupants", () => {
    const occupants = resolveOccupants({
      ...terms,
      occupants: [
        { fullName: "A child", role: "occupant" },
        { tenantId: "t1", role: "primary", isPrimary: true },
      ],
    });
    expect(occupants.map(({ role }) => role)).toEqual(["occupant", "primary"]);
  });
  test("defaults the move-in date to that of the lease, then to its start date", () => {
    const moveInDates = (moveInDate?: string) =>
      resolveOccupants({ ...terms, ...(moveInDate && { moveInDate }), occupants: [{ fullName: "A child", role: "occupant", moveInDate: "2027-02-03" }] }).map(
        (occupant) => occupant.moveInDate,
      );
    expect(moveInDates()).toEqual(["2027-01-01", "2027-02-03"]);
    expect(moveInDates("2027-01-15")).toEqual(["2027-01-15", "2027-02-03"]);
  });
  test.each([
    ["another tenant as primary occupant", [{ tenantId: "t2", role: "primary" }], ["occupants.0.role mismatch"]],
    ["a primary occupant without a tenant", [{ fullName: "Somebody", role: "primary" }], ["occupants.0.role mismatch"]],
    ["the tenant in another role", [{ tenantId: "t1", role: "guarantor" }], ["occupants.0.role mismatch"]],
    ["a primary occupant with isPrimary false", [{ tenantId: "t1", role: "primary", isPrimary: false }], ["occupants.0.isPrimary mismatch"]],
    ["a co-tenant with isPrimary true", [{ tenantId: "t2", role: "co_tenant", isPrimary: true }], ["occupants.0.isPrimary mismatch"]],
    [
      "a tenant twice",
      [
        { tenantId: "t2", role: "co_tenant" },
        { tenantId: "t2", role: "occupant" },
      ],
      ["occupants.1.tenantId unique"],
    ],
  ])("refuses %s", (_, occupants, errors) => expect(errorsOf(occupants)).toEqual(errors));
});

describe("requireStartAfterPredecessor", () => {
  const fixed = { status: "active", termType: "fixed", startDate: "2027-03-01", endDate: "2028-02-29", isHoldover: false };
  const codeOf = (predecessor: Parameters<typeof requireStartAfterPredecessor>[0], startDate: string) => {
    try {
      requireStartAfterPredecessor(predecessor, startDate, "startDate");
    } catch (error) {
      return (error as { errors: { code: string }[] }).errors[0]!.code;
    }
    return "ok";
  };
  test.each([
    ["2027-02-28", "before_start"],
    ["2027-03-01", "before_start"],
    ["2027-03-02", "overlap"],
    ["2028-02-29", "overlap"],
    ["2028-03-01", "ok"],
  ])("a renewal from %s of a lease that ends on February 29: %s", (startDate, expected) => expect(codeOf(fixed, startDate)).toBe(expected));
  test.each([
    ["month to month", { termType: "month_to_month", endDate: null }],
    ["month to month with an end date", { termType: "month_to_month" }],
    ["in holdover", { isHoldover: true }],
  ])("a lease %s can be renewed from any day after its start", (_, terms) => {
    expect(codeOf({ ...fixed, ...terms }, "2027-03-01")).toBe("before_start");
    expect(codeOf({ ...fixed, ...terms }, "2027-03-02")).toBe("ok");
  });
});

describe("endDateBeforeRenewal", () => {
  test.each([
    [null, "2028-03-01", "2028-02-29"],
    [null, "2027-03-01", "2027-02-28"],
    [null, "2027-01-01", "2026-12-31"],
    ["2027-06-30", "2028-03-01", "2027-06-30"],
    ["2029-06-30", "2028-03-01", "2028-02-29"],
  ])("a lease with the end date %s and a renewal from %s ends on %s", (endDate, startDate, expected) =>
    expect(endDateBeforeRenewal({ endDate }, startDate)).toBe(expected),
  );
});

describe("start and termination dates", () => {
  test("a lease can be terminated on its first day but not before", () => {
    expect(() => requireTerminationAfterStart({ startDate: "2027-03-01" }, "2027-03-01")).not.toThrow();
    expect(() => requireTerminationAfterStart({ startDate: "2027-03-01" }, "2027-02-28")).toThrow(expect.objectContaining({ status: 400 }));
  });
  test("a lease can start on its last day but not after", () => {
    expect(() => requireStartBeforeEnd({ endDate: "2028-02-29" }, "2028-02-29")).not.toThrow();
    expect(() => requireStartBeforeEnd({ endDate: null }, "2099-01-01")).not.toThrow();
    expect(() => requireStartBeforeEnd({ endDate: "2028-02-29" }, "2028-03-01")).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe("requireRenewable", () => {
  test("accepts an active lease", () => expect(() => requireRenewable({ status: "active" })).not.toThrow());
  test.each(leaseStatuses.filter((status) => status !== "active"))("refuses a %s lease", (status) => {
    expect(() => requireRenewable({ status })).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("requireLeaseStatus", () => {
  const allowedStatuses = {
    "be changed": ["draft", "pending", "active"],
    "have a notice recorded": ["active"],
    "have its notice withdrawn": ["active"],
    "have its rent changed": ["active"],
    "have an occupant added": ["draft", "pending", "active"],
    "have an occupant released": ["active", "expired"],
    "have an occupant removed": ["draft", "pending", "active", "expired"],
  } as const;
  const actions = Object.entries(allowedStatuses) as [keyof typeof allowedStatuses, readonly string[]][];
  test.each(actions.flatMap(([action, allowed]) => leaseStatuses.map((status) => ({ action, status, isAllowed: allowed.includes(status) }))))(
    "a $status lease can $action: $isAllowed",
    ({ action, status, isAllowed }) => {
      const error = expect.objectContaining({
        status: 409,
        code: "invalid_transition",
        message: expect.stringContaining(`is ${status} and cannot ${action}.`),
      });
      if (isAllowed) expect(() => requireLeaseStatus({ status }, action)).not.toThrow();
      else expect(() => requireLeaseStatus({ status }, action)).toThrow(error);
    },
  );
});

describe("endOfTermOutcome", () => {
  test.each([
    ["fixed", false, "expired"],
    ["fixed", true, "expired"],
    ["fixed_with_rollover", false, "month_to_month"],
    ["fixed_with_rollover", true, "expired"],
  ])("a %s lease whose unit is taken (%s) becomes %s", (termType, isUnitTaken, expected) => expect(endOfTermOutcome({ termType }, isUnitTaken)).toBe(expected));
});

describe("requireMoveOutAfterStart", () => {
  test("a move-out can be planned for the first day of the lease but not before", () => {
    expect(() => requireMoveOutAfterStart({ startDate: "2028-03-01" }, "2028-03-01")).not.toThrow();
    expect(() => requireMoveOutAfterStart({ startDate: "2028-03-01" }, "2028-02-29")).toThrow(expect.objectContaining({ status: 400 }));
  });
});
