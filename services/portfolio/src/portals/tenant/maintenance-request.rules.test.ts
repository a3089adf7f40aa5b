import { describe, expect, test } from "@jest/globals";
import { resolveMaintenanceRequestLease } from "./maintenance-request.rules.ts";

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
