import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases/leases";
import { isTenantOf, resolveRequestLease } from "./tenant-lease.rules.ts";

const DAY = "2026-06-15";

describe("isTenantOf", () => {
  const named = (occupant: object, terminationDate: string | null = null) => ({
    terminationDate,
    occupants: [{ tenantId: "me", role: "primary" as const, releasedOn: null, ...occupant }],
  });

  test.each([
    ["the primary occupant", {}, true],
    ["a co-tenant", { role: "co_tenant" }, true],
    ["somebody who only lives there", { role: "occupant" }, false],
    ["somebody who only vouches", { role: "guarantor" }, false],
    ["somebody else", { tenantId: "another" }, false],
    ["whoever is released tomorrow", { releasedOn: "2026-06-16" }, true],
    ["whoever is released today", { releasedOn: "2026-06-15" }, false],
    ["whoever was released", { releasedOn: "2026-06-14" }, false],
  ])("of %s", (_, occupant, expected) => expect(isTenantOf(named(occupant), "me", DAY)).toBe(expected));

  test("stays with whoever was there when the lease was terminated, and with nobody who had left before", () => {
    expect(isTenantOf(named({ releasedOn: "2026-06-01" }, "2026-06-01"), "me", DAY)).toBe(true);
    expect(isTenantOf(named({ releasedOn: "2026-05-31" }, "2026-06-01"), "me", DAY)).toBe(false);
  });
});

describe("leaseMeant", () => {
  const lease = (id: string, status: (typeof leaseStatuses)[number], terminationDate: string | null = null) => ({ id, status, terminationDate });
  const meant = (own: ReturnType<typeof lease>[], leaseId?: string) => resolveRequestLease(own, leaseId, DAY).id;

  test.each(leaseStatuses.map((status) => [status, ["pending", "active", "expired"].includes(status)] as const))(
    "takes a lease that is %s: %s",
    (status, isTaken) => {
      const take = () => meant([lease("one", status)]);
      if (isTaken) expect(take()).toBe("one");
      else expect(take).toThrow(expect.objectContaining({ status: 409, code: "lease_not_active" }));
    },
  );

  test("takes one that was terminated until its last day", () => {
    expect(meant([lease("one", "terminated", DAY)])).toBe("one");
    expect(() => meant([lease("one", "terminated", "2026-06-14")])).toThrow(expect.objectContaining({ code: "lease_not_active" }));
  });

  test("takes the active one of several, and asks where two are", () => {
    expect(meant([lease("next", "pending"), lease("now", "active"), lease("before", "expired")])).toBe("now");
    expect(() => meant([lease("one", "active"), lease("two", "active")])).toThrow(expect.objectContaining({ status: 400 }));
    expect(meant([lease("one", "active"), lease("two", "active")], "two")).toBe("two");
    expect(() => meant([lease("one", "active")], "two")).toThrow(expect.objectContaining({ status: 400 }));
  });
});
