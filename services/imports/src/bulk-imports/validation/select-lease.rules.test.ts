import { describe, expect, test } from "@jest/globals";
import type { Match } from "../../validation/match.rules.ts";
import { findPayer, selectLease } from "./select-lease.rules.ts";

const lease = (entityId: string, fields: Record<string, string>): Match => ({
  entityId,
  displayName: fields["start_date"]!,
  score: 0,
  reasons: ["unit"],
  fields,
});
const reference = { path: "unit_number", text: "1A" };
const past = lease("past", { start_date: "2024-01-01", last_day: "2024-12-31", status: "expired", tenants: "tess" });
const previous = lease("previous", { start_date: "2025-01-01", last_day: "2025-12-31", status: "terminated", tenants: "tess cora" });
const current = lease("current", { start_date: "2026-01-01", status: "active", tenants: "sam" });
const allLeases = [past, previous, current];
const select = (date: string | undefined, tenantIds?: string[], leases = allLeases) => {
  const result = selectLease(leases, { date, tenantIds, reference });
  return "entityId" in result ? result.entityId : result.message;
};

describe("selectLease", () => {
  test.each([
    ["2024-01-01", "past"],
    ["2024-12-31", "past"],
    ["2025-01-01", "previous"],
    ["2025-12-31", "previous"],
    ["2026-01-01", "current"],
    ["2199-01-01", "current"],
  ])("on %s returns the lease in force: %s", (date, expected) => {
    expect(select(date)).toBe(expected);
  });

  test("returns the active lease for a row without a date, and for a date on which no lease is in force", () => {
    expect([select("2023-12-31"), select(undefined)]).toEqual(["current", "current"]);
  });

  test("returns the lease of the tenant regardless of the date, and among several the one in force", () => {
    expect(select("2026-05-01", ["cora"])).toBe("previous");
    expect(select("2025-05-01", ["tess"])).toBe("previous");
    expect(select("2026-05-01", ["tess"])).toBe('More than one lease matches "1A". Identify it by tenant_name or lease_id.');
    expect(select("2026-05-01", ["nobody"])).toBe('The tenant of the row is on no lease of "1A". Add the tenant to the lease, or correct the tenant.');
  });

  test("returns the only lease regardless of the date", () => {
    expect([select("1990-01-01", undefined, [past]), select("2026-01-01", undefined, [])]).toEqual([
      "past",
      'There is no lease of unit "1A". Check unit_number.',
    ]);
  });
});

test("findPayer returns the possible tenant who is on the lease, or undefined unless there is exactly one", () => {
  expect([findPayer(previous, ["cora", "sam"]), findPayer(previous, ["cora", "tess"]), findPayer(previous, undefined)]).toEqual(["cora", undefined, undefined]);
});
