import { describe, expect, test } from "@jest/globals";
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
  const lease = (id: string, status: "pending" | "active" | "expired" | "terminated") => ({ id, status });
  const resolve = (ownLeases: ReturnType<typeof lease>[], leaseId?: string, residenceIds = ownLeases.map(({ id }) => id)) =>
    resolveMaintenanceRequestLease(ownLeases, new Set(residenceIds), leaseId).id;

  test.each(["pending", "active", "expired", "terminated"] as const)("accepts a lease that is %s exactly if the tenant lives under it", (status) => {
    expect(resolve([lease("one", status)])).toBe("one");
    for (const leaseId of [undefined, "one"])
      expect(() => resolve([lease("one", status)], leaseId, [])).toThrow(expect.objectContaining({ status: 409, code: "lease_not_active" }));
  });

  test("chooses the active lease, and rejects two active ones without leaseId", () => {
    expect(resolve([lease("next", "pending"), lease("now", "active"), lease("before", "expired")])).toBe("now");
    expect(() => resolve([lease("one", "active"), lease("two", "active")])).toThrow(expect.objectContaining({ status: 400 }));
    expect(resolve([lease("one", "active"), lease("two", "active")], "two")).toBe("two");
    expect(() => resolve([lease("one", "active")], "two")).toThrow(expect.objectContaining({ status: 400 }));
  });
});
