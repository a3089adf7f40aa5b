import { describe, expect, test } from "@jest/globals";
import { clientIdOf, verifyClientSecret, newClientSecret, parseClientId } from "./credentials.ts";

const organizationId = "0190c2b4-0000-7000-8000-000000000001";
const keyId = "0190c2b4-0000-7000-8000-000000000002";

describe("a client id", () => {
  test("contains the organization id and the key id", () => {
    const clientId = clientIdOf(organizationId, keyId);
    expect(clientId).toMatch(/^fk_[\w-]{43}$/);
    expect(parseClientId(clientId)).toEqual({ organizationId, keyId });
  });
  test.each(["", "fk_", `fk_${"A".repeat(42)}`, `fk_${"A".repeat(44)}`, "A".repeat(46), `fk_${"é".repeat(43)}`])("does not parse %j", (text) => {
    expect(parseClientId(text)).toBeUndefined();
  });
});

describe("a client secret", () => {
  test("is random and matches only its own digest", () => {
    const [first, other] = [newClientSecret(), newClientSecret()];
    expect(first.clientSecret).toMatch(/^[\w-]{43}$/);
    expect([
      verifyClientSecret(first.clientSecret, first.secretHash),
      verifyClientSecret(other.clientSecret, first.secretHash),
      verifyClientSecret("", first.secretHash),
    ]).toEqual([true, false, false]);
    expect(first.secretHash).not.toContain(first.clientSecret);
  });
});
