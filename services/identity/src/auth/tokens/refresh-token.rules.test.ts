import { describe, expect, test } from "@jest/globals";
import { sessionExpiry, tokenExpiry, decideRefresh, type RefreshTokenState, type RefreshDecision } from "./refresh-token.rules.ts";

const at = new Date("2026-03-10T12:00:00.000Z");
const later = (ms: number) => new Date(at.getTime() + ms);
const DAY = 86_400_000;
const fresh: RefreshTokenState = { usedAt: null, expiresAt: later(1), session: { expiresAt: later(1), revokedAt: null } };

describe("decideRefresh", () => {
  test.each<[string, RefreshTokenState | undefined, RefreshDecision]>([
    ["a fresh token", fresh, "rotate"],
    ["no token", undefined, "refresh_invalid"],
    ["a token that expires now", { ...fresh, expiresAt: at }, "refresh_invalid"],
    ["a token whose session expires now", { ...fresh, session: { expiresAt: at, revokedAt: null } }, "refresh_invalid"],
    ["a token of a revoked session", { ...fresh, session: { ...fresh.session, revokedAt: later(-DAY) } }, "refresh_invalid"],
    ["a token used now", { ...fresh, usedAt: at }, "refresh_recently_rotated"],
    ["a token used 10 s ago", { ...fresh, usedAt: later(-10_000) }, "refresh_recently_rotated"],
    ["a token used 10.001 s ago", { ...fresh, usedAt: later(-10_001) }, "refresh_reused"],
    // The concurrent request may commit while this request waits for its lock.
    ["a token used while this request waited", { ...fresh, usedAt: later(30) }, "refresh_recently_rotated"],
    ["a used token of a revoked session", { ...fresh, usedAt: later(-DAY), session: { ...fresh.session, revokedAt: at } }, "refresh_invalid"],
  ])("%s: %3$s", (_, token, expected) => expect(decideRefresh(token, at)).toBe(expected));
});

describe("expiry", () => {
  test("a session expires after thirty days", () => expect(sessionExpiry(at)).toEqual(later(30 * DAY)));
  test("a token expires after seven days", () => expect(tokenExpiry(at, later(30 * DAY))).toEqual(later(7 * DAY)));
  test("a token expires with its session at the latest", () => expect(tokenExpiry(at, later(2 * DAY))).toEqual(later(2 * DAY)));
});
