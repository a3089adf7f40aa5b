import { describe, expect, test } from "@jest/globals";
import type { Match } from "../../validation/match.rules.ts";
import { leaseOf, payerOn } from "./select-lease.rules.ts";

const lease = (entityId: string, fields: Record<string, string>): Match => ({
  entityId,
  displayName: fields["start_date"]!,
  score: 0,
  reasons: ["unit"],
  fields,
});
const said = { path: "unit_number", text: "1A" };
const past = lease("past", { start_date: "2024-01-01", last_day: "2024-12-31", status: "expired", tenants: "tess" });
const before = lease("before", { start_date: "2025-01-01", last_day: "2025-12-31", status: "terminated", tenants: "tess cora" });
const current = lease("current", { start_date: "2026-01-01", status: "active", tenants: "sam" });
const all = [past, before, current];
const found = (day: string | undefined, tenants?: string[], leases = all) => {
  const one = leaseOf(leases, { day, tenants, said });
  return "entityId" in one ? one.entityId : one.message;
};

describe("the lease of a row", () => {
  test.each([
    ["2024-01-01", "past"],
    ["2024-12-31", "past"],
    ["2025-01-01", "before"],
    ["2025-12-31", "before"],
    ["2026-01-01", "current"],
    ["2199-01-01", "current"],
  ])("on %s is that in force: %s", (day, expected) => {
    expect(found(day)).toBe(expected);
  });

  test("is the active one where the day is in none or is not said", () => {
    expect([found("2023-12-31"), found(undefined)]).toEqual(["current", "current"]);
  });

  test("is that of the tenant, whatever the day, and of several the one of the day", () => {
    expect(found("2026-05-01", ["cora"])).toBe("before");
    expect(found("2025-05-01", ["tess"])).toBe("before");
    expect(found("2026-05-01", ["tess"])).toBe('Several leases fit "1A". Say which by tenant_name or lease_id.');
    expect(found("2026-05-01", ["nobody"])).toBe('The tenant of the row is on no lease of "1A".');
  });

  test("is the only one there is, whatever the day", () => {
    expect([found("1990-01-01", undefined, [past]), found("2026-01-01", undefined, [])]).toEqual(["past", 'There is no lease of unit "1A".']);
  });
});

test("who pays is whoever is meant and on the lease, and nobody where that could be two", () => {
  expect([payerOn(before, ["cora", "sam"]), payerOn(before, ["cora", "tess"]), payerOn(before, undefined)]).toEqual(["cora", undefined, undefined]);
});
