import { describe, expect, test } from "@jest/globals";
import { sessionExpiry, tokenExpiry, decideRefresh, type RefreshTokenState, type RefreshDecision } from "./refresh-token.rules.ts";

const at = new Date("2026-03-10T12:00:00.000Z");
const later = (ms: number) => new Date(at.getTime() + ms);
const DAY = 86_400_000;
const fresh: RefreshTokenState = { usedAt: null, expiresAt: later(1), session: { expiresAt: later(1), revokedAt: null } };

describe("verdict", () => {
  test.each<[string, RefreshTokenState | undefined, RefreshDecision]>([
    ["a fresh token", fresh, "rotate"],
    ["no token at all", undefined, "refresh_invalid"],
    ["one that expires this moment", { ...fresh, expiresAt: at }, "refresh_invalid"],
    ["one whose session ends this moment", { ...fresh, session: { expiresAt: at, revokedAt: null } }, "refresh_invalid"],
    ["one whose session was ended", { ...fresh, session: { ...fresh.session, revokedAt: later(-DAY) } }, "refresh_invalid"],
    ["one used this moment", { ...fresh, usedAt: at }, "refresh_recently_rotated"],
    ["one used 10 s ago", { ...fresh, usedAt: later(-10_000) }, "refresh_recently_rotated"],
    ["one used a moment more than 10 s ago", { ...fresh, usedAt: later(-10_001) }, "refresh_reused"],
    // The winner may have committed while this request waited for it.
    ["one used while this request waited", { ...fresh, usedAt: later(30) }, "refresh_recently_rotated"],
    ["a used one of an ended session", { ...fresh, usedAt: later(-DAY), session: { ...fresh.session, revokedAt: at } }, "refresh_invalid"],
  ])("%s: %3$s", (_, token, expected) => expect(decideRefresh(token, at)).toBe(expected));
});

describe("expiry", () => {
  test("a session lives thirty days", () => expect(sessionExpiry(at)).toEqual(later(30 * DAY)));
  test("a token lives seven days", () => expect(tokenExpiry(at, later(30 * DAY))).toEqual(later(7 * DAY)));
  test("a token does not outlive its session", () => expect(tokenExpiry(at, later(2 * DAY))).toEqual(later(2 * DAY)));
});
