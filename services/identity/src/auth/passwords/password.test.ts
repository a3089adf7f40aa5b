import { describe, expect, test } from "@jest/globals";
import { hashPassword, verifyPassword, DUMMY_HASH } from "./password.ts";

describe("a password", () => {
  test("is kept as argon2id with its cost, and salted", async () => {
    const [one, other] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
    expect(await verifyPassword("correct horse", one)).toBe(true);
    expect(await verifyPassword("correct horse ", one)).toBe(false);
  });
  test("fits in either Unicode spelling", async () =>
    expect(await verifyPassword("cafe\u0301 cafe\u0301", await hashPassword("caf\u00e9 caf\u00e9"))).toBe(true));
  test("is checked at the cost its hash says", async () => {
    const known = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    expect(await verifyPassword("anything", known)).toBe(false);
  });
  test("of nobody fits nothing", async () => expect(await verifyPassword("correct horse", DUMMY_HASH)).toBe(false));
});
