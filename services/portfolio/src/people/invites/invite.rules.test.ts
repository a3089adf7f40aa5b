import { describe, expect, test } from "@jest/globals";
import { parseUnverifiedPortalInviteToken, createInviteTokens } from "./invite-token.rules.ts";
import { canContinueAcceptance, inviteExpiry, inviteStateMachine, inviteStatusAt } from "./invite.rules.ts";

const statuses = ["pending", "accepted", "revoked", "expired"] as const;
const ids = { kind: "tenant" as const, organizationId: "0190c2b4-0000-7000-8000-000000000001", inviteId: "0190c2b4-0000-7000-8000-000000000002" };
const nonce = "0190c2b4-0000-4000-8000-000000000003";

describe("inviteStateMachine", () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to, from === "pending" && to !== "pending"] as const)))(
    "%s to %s: allowed %p",
    (from, to, allowed) => {
      expect(inviteStateMachine.allows(from, to)).toBe(allowed);
    },
  );
});

describe("inviteStatusAt", () => {
  const createdAt = new Date("2028-02-26T12:00:00.000Z");
  const expiresAt = inviteExpiry(createdAt);
  test("an invite expires after seven days, also over a leap day", () => expect(expiresAt.toISOString()).toBe("2028-03-04T12:00:00.000Z"));
  test.each([
    ["pending", -1, "pending"],
    ["pending", 0, "expired"],
    ["accepted", 1, "accepted"],
    ["revoked", 1, "revoked"],
  ] as const)("%s, %i ms after its expiry, is %s", (status, ms, expected) => {
    expect(inviteStatusAt({ status, expiresAt }, new Date(expiresAt.getTime() + ms))).toBe(expected);
  });
});

describe("an accepted invite without a user", () => {
  const expiresAt = new Date("2028-03-04T12:00:00.000Z");
  const before = (seconds: number) => new Date(expiresAt.getTime() - seconds * 1000);
  test.each([
    [before(86_400), before(1), true],
    [before(60), expiresAt, true],
    [before(120), expiresAt, false],
    [null, expiresAt, false],
  ] as const)("accepted at %p, can still be accepted at %p: %p", (acceptedAt, time, expected) =>
    expect(canContinueAcceptance({ acceptedAt, expiresAt }, time)).toBe(expected),
  );
});

describe("invite tokens", () => {
  const tokens = createInviteTokens("a secret");
  const token = tokens.issue(ids, nonce);
  test("contain the ids of the invite and are URL-safe", () => {
    expect(token).toMatch(/^t\.[A-Za-z0-9_-]{64}$/);
    expect(parseUnverifiedPortalInviteToken(token)).toEqual(ids);
    expect(tokens.verify(token, ids, nonce)).toBe(true);
  });
  test.each([
    ["owner", "o."],
    ["vendor", "v."],
  ] as const)("of the kind %s start with %s", (kind, prefix) => {
    const other = tokens.issue({ ...ids, kind }, nonce);
    expect(other).toBe(prefix + token.slice(2));
    expect(parseUnverifiedPortalInviteToken(other)).toEqual({ ...ids, kind });
    expect(tokens.verify(other, ids, nonce)).toBe(false);
  });
  test("of earlier versions are valid", () => {
    const [organizationId, inviteId] = ["018f2c3a-0000-7000-8000-000000000001", "018f2c3a-0000-7000-8000-000000000002"];
    const issued = createInviteTokens("YW4gYXNzZXJ0aW9uIGtleQ==").issue({ kind: "owner", organizationId, inviteId }, "018f2c3a-0000-4000-8000-000000000003");
    expect(issued).toBe("o.AY8sOgAAcACAAAAAAAAAAQGPLDoAAHAAgAAAAAAAAALg3eGggg3uMC2vxJx4Enyo");
  });
  test("match only their own invite and key", () => {
    expect(createInviteTokens("another secret").verify(token, ids, nonce)).toBe(false);
    expect(tokens.verify(token, ids, ids.inviteId)).toBe(false);
    expect(tokens.verify(token, { ...ids, organizationId: ids.inviteId }, nonce)).toBe(false);
    for (let index = 2; index < token.length; index++) {
      const forged = token.slice(0, index) + (token[index] === "A" ? "B" : "A") + token.slice(index + 1);
      expect(tokens.verify(forged, ids, nonce)).toBe(false);
    }
  });
  test.each(["", "t.", "t.short", `u.${token.slice(2)}`, `${token}A`, token.slice(0, -1), `t.${"=".repeat(64)}`, `t.${"é".repeat(64)}`])(
    "%p is not a token",
    (text) => {
      expect(parseUnverifiedPortalInviteToken(text)).toBeUndefined();
    },
  );
});
