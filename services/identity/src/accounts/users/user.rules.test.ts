import { describe, expect, test } from "@jest/globals";
import { canAdminister, requireRemainingAdmin, forbidOfficePortalSwitch, subjectTypeOf, type AdminStatus } from "./user.rules.ts";

const admin: AdminStatus = { role: "admin", isActive: true, deletedAt: null, passwordHash: "a hash" };

describe("isRunningThings", () => {
  test("an admin who can sign in does", () => expect(canAdminister(admin)).toBe(true));
  test.each<[string, Partial<AdminStatus>]>([
    ["a manager", { role: "manager" }],
    ["a deactivated admin", { isActive: false }],
    ["a deleted admin", { deletedAt: new Date() }],
    ["an admin who has not accepted the invite", { passwordHash: null }],
  ])("%s does not", (_, change) => expect(canAdminister({ ...admin, ...change })).toBe(false));
});

describe("requireAnAdmin", () => {
  const demoted: AdminStatus = { ...admin, role: "staff" };
  test("refuses to demote the last admin", () => {
    expect(() => requireRemainingAdmin(admin, demoted, [])).toThrow(expect.objectContaining({ status: 409, code: "last_admin" }));
  });
  test("refuses when the other admin cannot sign in", () => {
    expect(() => requireRemainingAdmin(admin, demoted, [{ ...admin, passwordHash: null }])).toThrow(expect.objectContaining({ code: "last_admin" }));
  });
  test("lets an admin go while another one can sign in", () => expect(() => requireRemainingAdmin(admin, demoted, [admin])).not.toThrow());
  test("lets everybody go who was no admin", () => expect(() => requireRemainingAdmin(demoted, { ...demoted, isActive: false }, [])).not.toThrow());
  test("lets the last admin change the name", () => expect(() => requireRemainingAdmin(admin, { ...admin }, [])).not.toThrow());
});

describe("requireSameSide", () => {
  test("lets the office change roles", () => expect(() => forbidOfficePortalSwitch("admin", "staff")).not.toThrow());
  test("keeps a tenant a tenant", () => expect(() => forbidOfficePortalSwitch("tenant", "staff")).toThrow(expect.objectContaining({ status: 400 })));
  test("lets a tenant stay one", () => expect(() => forbidOfficePortalSwitch("tenant", "tenant")).not.toThrow());
});

test.each([
  ["admin", null],
  ["staff", null],
  ["tenant", "tenant"],
  ["owner", "owner"],
  ["vendor", "vendor"],
] as const)("a user with role %s has a subject of type %s", (role, type) => expect(subjectTypeOf(role)).toBe(type));
