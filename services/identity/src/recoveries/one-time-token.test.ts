import { describe, expect, test } from "@jest/globals";
import { newOneTimeToken, parseOneTimeToken } from "./one-time-token.ts";

const organizationId = "0190c2b4-0000-7000-8000-000000000001";

describe("a one-time token", () => {
  test("contains its organization and is URL-safe", () => {
    const { token, tokenHash } = newOneTimeToken(organizationId);
    expect(token).toMatch(/^[\w-]{64}$/);
    expect(parseOneTimeToken(token)).toEqual({ organizationId, tokenHash });
    expect(tokenHash).not.toContain(token.slice(0, 20));
  });
  test("is random", () => {
    const tokens = Array.from({ length: 100 }, () => newOneTimeToken(organizationId).token);
    expect(new Set(tokens).size).toBe(100);
  });
  test.each(["", "short", "A".repeat(63), "A".repeat(65), `${"A".repeat(63)}=`, `${"A".repeat(63)}é`])("does not parse %j", (text) => {
    expect(parseOneTimeToken(text)).toBeUndefined();
  });
});
