import { describe, expect, test } from "@jest/globals";
import { clientIdOf, isClientSecret, newClientSecret, readClientId } from "./credentials.ts";

const organizationId = "0190c2b4-0000-7000-8000-000000000001";
const keyId = "0190c2b4-0000-7000-8000-000000000002";

describe("a client id", () => {
  test("leads to the organization and the key", () => {
    const clientId = clientIdOf(organizationId, keyId);
    expect(clientId).toMatch(/^fk_[\w-]{43}$/);
    expect(readClientId(clientId)).toEqual({ organizationId, keyId });
  });
  test.each(["", "fk_", `fk_${"A".repeat(42)}`, `fk_${"A".repeat(44)}`, "A".repeat(46), `fk_${"é".repeat(43)}`])("%j is none", (text) => {
    expect(readClientId(text)).toBeUndefined();
  });
});

describe("a client secret", () => {
  test("is another one each time, and fits its own digest alone", () => {
    const [one, other] = [newClientSecret(), newClientSecret()];
    expect(one.clientSecret).toMatch(/^[\w-]{43}$/);
    expect([isClientSecret(one.clientSecret, one.secretHash), isClientSecret(other.clientSecret, one.secretHash), isClientSecret("", one.secretHash)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(one.secretHash).not.toContain(one.clientSecret);
  });
});
