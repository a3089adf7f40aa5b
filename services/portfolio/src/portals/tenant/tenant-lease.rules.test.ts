import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases/leases";
import { isTenantOnLease, resolveMaintenanceRequestLease } from "./tenant-lease.rules.ts";

const DAY = "2026-06-15";

describe("isTenantOnLease", () => {
  const leaseWith = (occupant: object, terminationDate: string | null = null, status = "active") => ({
    status,
    endDate: "2026-05-31",
    terminationDate,
    occupants: [{ tenantId: "me", role: "primary" as const, releasedOn: null, ...occupant }],
  });

  test.each([
    ["the primary occupant", {}, true],
    ["a co-tenant", { role: "co_tenant" }, true],
    ["an occupant", { role: "occupant" }, false],
    ["a guarantor", { role: "guarantor" }, false],
    ["another tenant", { tenantId: "another" }, false],
    ["a primary occupant released tomorrow", { releasedOn: "2026-06-16" }, true],
    ["a primary occupant released today", { releasedOn: "2026-06-15" }, false],
    ["a primary occupant released yesterday", { releasedOn: "2026-06-14" }, false],
  ])("for %s: %j is %s", (_, occupant, expected) => expect(isTenantOnLease(leaseWith(occupant), "me", DAY)).toBe(expected));

  test.each([
    ["draft", false],
    ["pending", true],
    ["active", true],
    ["expired", true],
    ["terminated", true],
    ["renewed", true],
    ["cancelled", false],
  ])("for the primary occupant of a lease that is %s is %s", (status, expected) => {
    expect(isTenantOnLease(leaseWith({}, null, status), "me", DAY)).toBe(expected);
  });

  test("remains true after a release on the termination date, but not after an earlier release", () => {
    expect(isTenantOnLease(leaseWith({ releasedOn: "2026-06-01" }, "2026-06-01", "terminated"), "me", DAY)).toBe(true);
    expect(isTenantOnLease(leaseWith({ releasedOn: "2026-05-31" }, "2026-06-01", "terminated"), "me", DAY)).toBe(false);
  });

  test("remains true after a release when a lease has expired, but not after an earlier release", () => {
    expect(isTenantOnLease(leaseWith({ releasedOn: "2026-06-10" }, null, "expired"), "me", DAY)).toBe(true);
    expect(isTenantOnLease(leaseWith({ releasedOn: "2026-05-30" }, null, "expired"), "me", DAY)).toBe(false);
  });
});

describe("resolveMaintenanceRequestLease", () => {
  const lease = (id: string, status: (typeof leaseStatuses)[number], terminationDate: string | null = null) => ({ id, status, terminationDate });
  const resolve = (ownLeases: ReturnType<typeof lease>[], leaseId?: string) => resolveMaintenanceRequestLease(ownLeases, leaseId, DAY).id;

  test.each(leaseStatuses.map((status) => [status, ["pending", "active", "expired"].includes(status)] as const))(
    "accepts a %s lease: %s",
    (status, isAccepted) => {
      const resolveOne = () => resolve([lease("one", status)]);
      if (isAccepted) expect(resolveOne()).toBe("one");
      else expect(resolveOne).toThrow(expect.objectContaining({ status: 409, code: "lease_not_active" }));
    },
  );

  test("accepts a terminated lease until its last day", () => {
    expect(resolve([lease("one", "terminated", DAY)])).toBe("one");
    expect(() => resolve([lease("one", "terminated", "2026-06-14")])).toThrow(expect.objectContaining({ code: "lease_not_active" }));
  });

  test("chooses the active lease, and rejects two active ones without leaseId", () => {
    expect(resolve([lease("next", "pending"), lease("now", "active"), lease("before", "expired")])).toBe("now");
    expect(() => resolve([lease("one", "active"), lease("two", "active")])).toThrow(expect.objectContaining({ status: 400 }));
    expect(resolve([lease("one", "active"), lease("two", "active")], "two")).toBe("two");
    expect(() => resolve([lease("one", "active")], "two")).toThrow(expect.objectContaining({ status: 400 }));
  });
});
