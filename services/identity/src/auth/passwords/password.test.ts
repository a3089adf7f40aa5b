import { describe, expect, test } from "@jest/globals";
import { argon2Sync } from "node:crypto";
import { hashPassword, verifyPassword, DUMMY_HASH } from "./password.ts";

describe("a password", () => {
  test("is stored as a salted argon2id hash with its cost", async () => {
    const [hash, otherHash] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(otherHash).not.toBe(hash);
    expect(await verifyPassword("correct horse", hash)).toBe(true);
    expect(await verifyPassword("correct horse ", hash)).toBe(false);
  });
  test("matches in either Unicode normalization form", async () =>
    expect(await verifyPassword("cafe\u0301 cafe\u0301", await hashPassword("caf\u00e9 caf\u00e9"))).toBe(true));
  test("is verified with the cost stored in the hash", async () => {
    const nonce = Buffer.from("somesaltsomesalt");
    const tag = argon2Sync("argon2id", { message: Buffer.from("correct horse"), nonce, memory: 64, passes: 1, parallelism: 1, tagLength: 32 });
    const [encodedNonce, encodedTag] = [nonce, tag].map((bytes) => bytes.toString("base64").replace(/=+$/, ""));
    const cheapHash = `$argon2id$v=19$m=64,t=1,p=1$${encodedNonce}$${encodedTag}`;
    expect([await verifyPassword("correct horse", cheapHash), await verifyPassword("another horse", cheapHash)]).toEqual([true, false]);
  });
  test("does not match the dummy hash", async () => expect(await verifyPassword("correct horse", DUMMY_HASH)).toBe(false));
});
