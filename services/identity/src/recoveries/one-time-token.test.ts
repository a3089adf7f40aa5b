import { describe, expect, test } from "@jest/globals";
import { newOneTimeToken, readOneTimeToken } from "./one-time-token.ts";

const organizationId = "0190c2b4-0000-7000-8000-000000000001";

describe("a one-time token", () => {
  test("leads to its organization and stands in a link as it is", () => {
    const { token, tokenHash } = newOneTimeToken(organizationId);
    expect(token).toMatch(/^[\w-]{64}$/);
    expect(readOneTimeToken(token)).toEqual({ organizationId, tokenHash });
    expect(tokenHash).not.toContain(token.slice(0, 20));
  });
  test("is another one each time", () => {
    const tokens = Array.from({ length: 100 }, () => newOneTimeToken(organizationId).token);
    expect(new Set(tokens).size).toBe(100);
  });
  test.each(["", "short", "A".repeat(63), "A".repeat(65), `${"A".repeat(63)}=`, `${"A".repeat(63)}é`])("%j is none", (text) => {
    expect(readOneTimeToken(text)).toBeUndefined();
  });
});
