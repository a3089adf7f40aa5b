import { describe, expect, test } from "@jest/globals";
import { canAdminister, requireRemainingAdmin, forbidOfficePortalSwitch, subjectTypeOf, type AdminStatus } from "./user.rules.ts";

const admin: AdminStatus = { role: "admin", isActive: true, deletedAt: null, passwordHash: "a hash" };

describe("canAdminister", () => {
  test("an admin who can sign in can", () => expect(canAdminister(admin)).toBe(true));
  test.each<[string, Partial<AdminStatus>]>([
    ["a manager", { role: "manager" }],
    ["a deactivated admin", { isActive: false }],
    ["a deleted admin", { deletedAt: new Date() }],
    ["an admin who has not accepted the invite", { passwordHash: null }],
  ])("%s cannot", (_, change) => expect(canAdminister({ ...admin, ...change })).toBe(false));
});

describe("requireRemainingAdmin", () => {
  const demoted: AdminStatus = { ...admin, role: "staff" };
  test("refuses to demote the last admin", () => {
    expect(() => requireRemainingAdmin(admin, demoted, [])).toThrow(expect.objectContaining({ status: 409, code: "last_admin" }));
  });
  test("refuses when the other admin cannot sign in", () => {
    expect(() => requireRemainingAdmin(admin, demoted, [{ ...admin, passwordHash: null }])).toThrow(expect.objectContaining({ code: "last_admin" }));
  });
  test("allows demoting an admin while another admin can sign in", () => expect(() => requireRemainingAdmin(admin, demoted, [admin])).not.toThrow());
  test("allows deactivating a user who is not an admin", () => expect(() => requireRemainingAdmin(demoted, { ...demoted, isActive: false }, [])).not.toThrow());
  test("allows other changes of the last admin", () => expect(() => requireRemainingAdmin(admin, { ...admin }, [])).not.toThrow());
});

describe("forbidOfficePortalSwitch", () => {
  test("allows role changes within the office", () => expect(() => forbidOfficePortalSwitch("admin", "staff")).not.toThrow());
  test("refuses an office role for a tenant", () =>
    expect(() => forbidOfficePortalSwitch("tenant", "staff")).toThrow(expect.objectContaining({ status: 400 })));
  test("allows an unchanged tenant role", () => expect(() => forbidOfficePortalSwitch("tenant", "tenant")).not.toThrow());
});

test.each([
  ["admin", null],
  ["staff", null],
  ["tenant", "tenant"],
  ["owner", "owner"],
  ["vendor", "vendor"],
] as const)("a user with role %s has a subject of type %s", (role, type) => expect(subjectTypeOf(role)).toBe(type));
