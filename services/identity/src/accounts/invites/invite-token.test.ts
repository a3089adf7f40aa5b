import { describe, expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { newId } from "@freehold/kit/db/entity";
import { parseUnverifiedInviteToken, userInviteTokens } from "./invite-token.ts";

const key = randomBytes(48).toString("base64");
const tokens = userInviteTokens(key);
const organizationId = newId();
const inviteId = newId();
const token = tokens.issue(organizationId, inviteId);

describe("an invite token", () => {
  test("is deterministic and verifies to its ids", () => {
    expect(tokens.issue(organizationId, inviteId)).toBe(token);
    expect(tokens.verify(token)).toEqual({ organizationId, inviteId });
  });
  test("of an earlier version is valid", () => {
    const ids = { organizationId: "018f2c3a-0000-7000-8000-000000000001", inviteId: "018f2c3a-0000-7000-8000-000000000002" };
    const issued = "u.AY8sOgAAcACAAAAAAAAAAQGPLDoAAHAAgAAAAAAAAAICpcDFHefAGHecqyAny-xJlMSMBoidTZNHbUe272bO2g";
    expect(userInviteTokens("YW4gYXNzZXJ0aW9uIGtleQ==").verify(issued)).toEqual(ids);
  });
  test("exposes its kind and organization without the key", () => expect(parseUnverifiedInviteToken(token)).toEqual({ kind: "u", organizationId }));
  test("is URL-safe and within the contract's 400 characters", () => expect(token).toMatch(/^u\.[\w-]{86}$/));
  test("does not verify with another key", () => expect(userInviteTokens(randomBytes(48).toString("base64")).verify(token)).toBeUndefined());

  test("does not verify with any single character changed", () => {
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      expect(tokens.verify(changed)).toBeUndefined();
    }
  });
  test.each(["", "u.", "t.abc", `t${token.slice(1)}`, token.slice(0, -1), `${token}A`, `${token}=`, token.replace(".", ""), "x".repeat(400)])(
    "does not verify %j",
    (invalidToken) => {
      expect(tokens.verify(invalidToken)).toBeUndefined();
    },
  );
  test.each(["", "u.", "no-dot", `u.${"A".repeat(40)}`])("does not parse %j", (invalidToken) =>
    expect(parseUnverifiedInviteToken(invalidToken)).toBeUndefined(),
  );
});
