import { describe, expect, test } from "@jest/globals";
import {
  requireStayInOrder,
  stayUntilTermination,
  requirePrimaryUnchanged,
  requireNotReleased,
  requireTenantOnce,
  requirePrimaryRetained,
  requirePrimaryMatchesTenant,
} from "./occupant.rules.ts";

const errorOf = (check: () => void) => {
  try {
    check();
  } catch (error) {
    const { status, code, errors } = error as { status: number; code: string; errors?: { path: string }[] };
    return [status, code, ...(errors ?? []).map(({ path }) => path)];
  }
  return "ok";
};
const lease = { tenantId: "t1" };
const invalidAt = (path: string) => [400, "validation_failed", path];

describe("requirePrimaryMatchesTenant", () => {
  test.each([
    ["the tenant of the lease as primary occupant", { role: "primary", tenantId: "t1" }],
    ["another tenant as co-tenant", { role: "co_tenant", tenantId: "t2" }],
    ["an occupant who is not a tenant", { role: "occupant" }],
  ])("accepts %s", (_, input) => expect(errorOf(() => requirePrimaryMatchesTenant(lease, input))).toBe("ok"));

  test.each([
    ["another tenant as primary occupant", { role: "primary", tenantId: "t2" }, invalidAt("role")],
    ["a primary occupant who is not a tenant", { role: "primary" }, invalidAt("role")],
    ["the tenant of the lease as guarantor", { role: "guarantor", tenantId: "t1" }, invalidAt("role")],
    ["a primary occupant with isPrimary false", { role: "primary", tenantId: "t1", isPrimary: false }, invalidAt("isPrimary")],
    ["a co-tenant with isPrimary true", { role: "co_tenant", tenantId: "t2", isPrimary: true }, invalidAt("isPrimary")],
  ])("refuses %s", (_, input, expected) => expect(errorOf(() => requirePrimaryMatchesTenant(lease, input))).toEqual(expected));
});

describe("requireTenantOnce", () => {
  const occupants = [
    { id: "1", tenantId: "t1" },
    { id: "2", tenantId: null },
  ];
  test("refuses a tenant who is another occupant of the lease", () => {
    expect(errorOf(() => requireTenantOnce(occupants, "t1"))).toEqual([409, "duplicate", "tenantId"]);
    expect(errorOf(() => requireTenantOnce(occupants, "t1", "1"))).toBe("ok");
    expect(errorOf(() => requireTenantOnce(occupants, "t2"))).toBe("ok");
    expect(errorOf(() => requireTenantOnce(occupants, undefined))).toBe("ok");
  });
});

describe("requirePrimaryUnchanged", () => {
  test("refuses a change of the primary occupant", () => {
    expect(errorOf(() => requirePrimaryUnchanged({ tenantId: "t1" }, { isPrimary: true }, { role: "co_tenant" }))).toEqual(invalidAt("role"));
    expect(errorOf(() => requirePrimaryUnchanged({ tenantId: "t1" }, { isPrimary: false }, { role: "primary" }))).toEqual(invalidAt("role"));
    expect(errorOf(() => requirePrimaryUnchanged({ tenantId: "t1" }, { isPrimary: true }, { tenantId: "t2" }))).toEqual(invalidAt("tenantId"));
    expect(errorOf(() => requirePrimaryUnchanged({ tenantId: "t1" }, { isPrimary: true }, { role: "primary", notes: "Works nights" }))).toBe("ok");
    expect(errorOf(() => requirePrimaryUnchanged({ tenantId: "t1" }, { isPrimary: false }, { role: "guarantor", tenantId: "t2" }))).toBe("ok");
    expect(errorOf(() => requirePrimaryUnchanged({ tenantId: "t1" }, { isPrimary: false }, { tenantId: "t1" }))).toEqual(invalidAt("tenantId"));
  });
});

describe("requirePrimaryRetained", () => {
  test.each(["pending", "active"])("refuses to release the primary occupant of a %s lease", (status) => {
    expect(errorOf(() => requirePrimaryRetained({ status }, { isPrimary: true }))).toEqual([409, "resource_in_use"]);
    expect(errorOf(() => requirePrimaryRetained({ status }, { isPrimary: false }))).toBe("ok");
  });
  test.each(["draft", "expired"])("allows the release of the primary occupant of a %s lease", (status) =>
    expect(errorOf(() => requirePrimaryRetained({ status }, { isPrimary: true }))).toBe("ok"),
  );
});

describe("release and stay", () => {
  test("an occupant is released once", () => {
    expect(errorOf(() => requireNotReleased({ releasedOn: "2028-02-29" }))).toEqual([409, "invalid_transition"]);
    expect(errorOf(() => requireNotReleased({ releasedOn: null }))).toBe("ok");
  });
  test.each([
    [{ moveInDate: "2028-02-29", moveOutDate: "2028-02-29" }, "ok"],
    [{ moveInDate: "2028-02-29", moveOutDate: "2028-02-28" }, invalidAt("moveOutDate")],
    [{ moveInDate: "2028-03-01", releasedOn: "2028-02-29" }, invalidAt("releasedOn")],
    [{ moveInDate: null, moveOutDate: "2027-01-31" }, invalidAt("moveOutDate")],
    [{ moveInDate: null, moveOutDate: "2027-02-01" }, "ok"],
  ])("a stay %j in a lease from 2027-02-01 on: %j", (stay, expected) => expect(errorOf(() => requireStayInOrder(stay, "2027-02-01"))).toEqual(expected));
});

describe("stayUntilTermination", () => {
  const day = "2026-11-26";
  const released = { releasedOn: day, moveOutDate: day };
  test.each([
    ["of an occupant without agreed dates ends on the termination date", { moveInDate: "2026-01-01" }, { moveInDate: "2026-01-01", ...released }],
    ["of an occupant who would move in later has no day", { moveInDate: "2026-12-08" }, { moveInDate: day, ...released }],
    ["with a later release ends on the termination date", { releasedOn: "2026-12-18", moveOutDate: "2026-12-18" }, released],
    ["with an earlier release is unchanged", { releasedOn: "2026-05-01", moveOutDate: "2026-05-03" }, { releasedOn: "2026-05-01", moveOutDate: "2026-05-03" }],
    ["with a recorded move-out after the termination keeps it", { moveOutDate: "2026-12-02" }, { releasedOn: day, moveOutDate: "2026-12-02" }],
  ])("the stay %s", (_, stay, expected) => expect(stayUntilTermination(stay, day)).toEqual({ moveInDate: undefined, ...expected }));
});
