import { describe, expect, test } from "@jest/globals";
import { refuseBackwards, refuseOtherPrimary, refuseReleased, refuseTwice, refuseWithoutPrimary, refuseWrongPrimary } from "./occupant.rules.ts";

const refused = (work: () => void) => {
  try {
    work();
  } catch (error) {
    const { status, code, errors } = error as { status: number; code: string; errors?: { path: string }[] };
    return [status, code, ...(errors ?? []).map(({ path }) => path)];
  }
  return "fine";
};
const lease = { tenantId: "t1" };
const wrong = (path: string) => [400, "validation_failed", path];

describe("refuseWrongPrimary", () => {
  test.each([
    ["the lease's tenant as primary", { role: "primary", tenantId: "t1" }, "fine"],
    ["somebody else as co-tenant", { role: "co_tenant", tenantId: "t2" }, "fine"],
    ["somebody without an account as occupant", { role: "occupant" }, "fine"],
    ["another tenant as primary", { role: "primary", tenantId: "t2" }, wrong("role")],
    ["somebody without an account as primary", { role: "primary" }, wrong("role")],
    ["the lease's tenant as guarantor", { role: "guarantor", tenantId: "t1" }, wrong("role")],
    ["a primary who is said not to be", { role: "primary", tenantId: "t1", isPrimary: false }, wrong("isPrimary")],
    ["a co-tenant who is said to be primary", { role: "co_tenant", tenantId: "t2", isPrimary: true }, wrong("isPrimary")],
  ])("of %s", (_, named, expected) => expect(refused(() => refuseWrongPrimary(lease, named))).toEqual(expected));
});

describe("refuseTwice", () => {
  const people = [
    { id: "1", tenantId: "t1" },
    { id: "2", tenantId: null },
  ];
  test("knows a tenant who is there, but for the one that is changed, and people without one", () => {
    expect(refused(() => refuseTwice(people, "t1"))).toEqual([409, "duplicate", "tenantId"]);
    expect(refused(() => refuseTwice(people, "t1", "1"))).toBe("fine");
    expect(refused(() => refuseTwice(people, "t2"))).toBe("fine");
    expect(refused(() => refuseTwice(people, undefined))).toBe("fine");
  });
});

describe("refuseOtherPrimary", () => {
  test("lets nobody become or cease to be the primary occupant", () => {
    expect(refused(() => refuseOtherPrimary({ isPrimary: true }, { role: "co_tenant" }))).toEqual(wrong("role"));
    expect(refused(() => refuseOtherPrimary({ isPrimary: false }, { role: "primary" }))).toEqual(wrong("role"));
    expect(refused(() => refuseOtherPrimary({ isPrimary: true }, { tenantId: "t2" }))).toEqual(wrong("tenantId"));
    expect(refused(() => refuseOtherPrimary({ isPrimary: true }, { role: "primary", notes: "Works nights" }))).toBe("fine");
    expect(refused(() => refuseOtherPrimary({ isPrimary: false }, { role: "guarantor", tenantId: "t2" }))).toBe("fine");
  });
});

describe("refuseWithoutPrimary", () => {
  test.each(["pending", "active"])("keeps the primary occupant of a %s lease", (status) => {
    expect(refused(() => refuseWithoutPrimary({ status }, { isPrimary: true }))).toEqual([409, "resource_in_use"]);
    expect(refused(() => refuseWithoutPrimary({ status }, { isPrimary: false }))).toBe("fine");
  });
  test.each(["draft", "expired"])("lets the primary occupant of a %s lease go", (status) =>
    expect(refused(() => refuseWithoutPrimary({ status }, { isPrimary: true }))).toBe("fine"),
  );
});

describe("the days of an occupant", () => {
  test("nobody is released twice", () => {
    expect(refused(() => refuseReleased({ releasedOn: "2028-02-29" }))).toEqual([409, "invalid_transition"]);
    expect(refused(() => refuseReleased({ releasedOn: null }))).toBe("fine");
  });
  test.each([
    [{ moveInDate: "2028-02-29", moveOutDate: "2028-02-29" }, "fine"],
    [{ moveInDate: "2028-02-29", moveOutDate: "2028-02-28" }, wrong("moveOutDate")],
    [{ moveInDate: "2028-03-01", releasedOn: "2028-02-29" }, wrong("releasedOn")],
    [{ moveInDate: null, moveOutDate: "2027-01-31" }, wrong("moveOutDate")],
    [{ moveInDate: null, moveOutDate: "2027-02-01" }, "fine"],
  ])("%j under a lease from 2027-02-01", (stay, expected) => expect(refused(() => refuseBackwards(stay, "2027-02-01"))).toEqual(expected));
});
