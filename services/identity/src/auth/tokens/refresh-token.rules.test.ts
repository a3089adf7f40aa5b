import { describe, expect, test } from "@jest/globals";
import { sessionExpiry, tokenExpiry, decideRefresh, type RefreshTokenState, type RefreshDecision } from "./refresh-token.rules.ts";

const at = new Date("2026-03-10T12:00:00.000Z");
const offsetBy = (ms: number) => new Date(at.getTime() + ms);
const DAY = 86_400_000;
const fresh: RefreshTokenState = { usedAt: null, expiresAt: offsetBy(1), session: { expiresAt: offsetBy(1), revokedAt: null } };

describe("decideRefresh", () => {
  test.each<[string, RefreshDecision, RefreshTokenState | undefined]>([
    ["a fresh token", "rotate", fresh],
    ["no token", "refresh_invalid", undefined],
    ["a token that expires now", "refresh_invalid", { ...fresh, expiresAt: at }],
    ["a token whose session expires now", "refresh_invalid", { ...fresh, session: { expiresAt: at, revokedAt: null } }],
    ["a token of a revoked session", "refresh_invalid", { ...fresh, session: { ...fresh.session, revokedAt: offsetBy(-DAY) } }],
    ["a token used now", "refresh_recently_rotated", { ...fresh, usedAt: at }],
    ["a token used 10 s ago", "refresh_recently_rotated", { ...fresh, usedAt: offsetBy(-10_000) }],
    ["a token used 10.001 s ago", "refresh_reused", { ...fresh, usedAt: offsetBy(-10_001) }],
    // The concurrent request may commit while this request waits for its lock.
    ["a token used while this request waited", "refresh_recently_rotated", { ...fresh, usedAt: offsetBy(30) }],
    ["a used token of a revoked session", "refresh_invalid", { ...fresh, usedAt: offsetBy(-DAY), session: { ...fresh.session, revokedAt: at } }],
  ])("%s: %s", (_, expected, token) => expect(decideRefresh(token, at)).toBe(expected));
});

describe("expiry", () => {
  test("a session expires after thirty days", () => expect(sessionExpiry(at)).toEqual(offsetBy(30 * DAY)));
  test("a token expires after seven days", () => expect(tokenExpiry(at, offsetBy(30 * DAY))).toEqual(offsetBy(7 * DAY)));
  test("a token expires with its session at the latest", () => expect(tokenExpiry(at, offsetBy(2 * DAY))).toEqual(offsetBy(2 * DAY)));
});
