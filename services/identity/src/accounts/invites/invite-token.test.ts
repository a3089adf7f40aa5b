import { describe, expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { newId } from "@freehold/kit/db/entity";
import { readInviteToken, userInviteTokens } from "./invite-token.ts";

const key = randomBytes(48).toString("base64");
const tokens = userInviteTokens(key);
const organizationId = newId();
const inviteId = newId();
const token = tokens.issue(organizationId, inviteId);

describe("an invite token", () => {
  test("is the same each time and opens to what it names", () => {
    expect(tokens.issue(organizationId, inviteId)).toBe(token);
    expect(tokens.verify(token)).toEqual({ organizationId, inviteId });
  });
  test("says its kind and organization to anybody", () => expect(readInviteToken(token)).toEqual({ kind: "u", organizationId }));
  test("fits into an address and the contract's 400 characters", () => expect(token).toMatch(/^u\.[\w-]{86}$/));
  test("opens under no other key", () => expect(userInviteTokens(randomBytes(48).toString("base64")).verify(token)).toBeUndefined());

  test("does not open with any one character changed", () => {
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      expect(tokens.verify(changed)).toBeUndefined();
    }
  });
  test.each(["", "u.", "t.abc", `t${token.slice(1)}`, token.slice(0, -1), `${token}A`, `${token}=`, token.replace(".", ""), "x".repeat(400)])(
    "%j opens nothing",
    (other) => {
      expect(tokens.verify(other)).toBeUndefined();
    },
  );
  test.each(["", "u.", "no-dot", `u.${"A".repeat(40)}`])("%j claims nothing", (other) => expect(readInviteToken(other)).toBeUndefined());
});
