import { describe, expect, test } from "@jest/globals";
import { sessionExpiry, tokenExpiry, decideRefresh, type RefreshTokenState, type RefreshDecision } from "./refresh-token.rules.ts";

const at = new Date("2026-03-10T12:00:00.000Z");
const later = (ms: number) => new Date(at.getTime() + ms);
const DAY = 86_400_000;
const fresh: RefreshTokenState = { usedAt: null, expiresAt: later(1), session: { expiresAt: later(1), revokedAt: null } };

describe("decideRefresh", () => {
  test.each<[string, RefreshDecision, RefreshTokenState | undefined]>([
    ["a fresh token", "rotate", fresh],
    ["no token", "refresh_invalid", undefined],
    ["a token that expires now", "refresh_invalid", { ...fresh, expiresAt: at }],
    ["a token whose session expires now", "refresh_invalid", { ...fresh, session: { expiresAt: at, revokedAt: null } }],
    ["a token of a revoked session", "refresh_invalid", { ...fresh, session: { ...fresh.session, revokedAt: later(-DAY) } }],
    ["a token used now", "refresh_recently_rotated", { ...fresh, usedAt: at }],
    ["a token used 10 s ago", "refresh_recently_rotated", { ...fresh, usedAt: later(-10_000) }],
    ["a token used 10.001 s ago", "refresh_reused", { ...fresh, usedAt: later(-10_001) }],
    // The concurrent request may commit while this request waits for its lock.
    ["a token used while this request waited", "refresh_recently_rotated", { ...fresh, usedAt: later(30) }],
    ["a used token of a revoked session", "refresh_invalid", { ...fresh, usedAt: later(-DAY), session: { ...fresh.session, revokedAt: at } }],
  ])("%s: %s", (_, expected, token) => expect(decideRefresh(token, at)).toBe(expected));
});

describe("expiry", () => {
  test("a session expires after thirty days", () => expect(sessionExpiry(at)).toEqual(later(30 * DAY)));
  test("a token expires after seven days", () => expect(tokenExpiry(at, later(30 * DAY))).toEqual(later(7 * DAY)));
  test("a token expires with its session at the latest", () => expect(tokenExpiry(at, later(2 * DAY))).toEqual(later(2 * DAY)));
});
