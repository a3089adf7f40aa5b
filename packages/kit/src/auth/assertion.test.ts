import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createAssertions } from "./assertion.ts";
import { readProcessKeys } from "./keys.ts";
import { systemPrincipal } from "./principal.ts";

function createKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
}
const [old, next] = [createKeyPair(), createKeyPair()];
const principal = systemPrincipal("00000000-0000-4000-8000-000000000001");

describe("assertions", () => {
  test("are verified with the public key, before, during and after a key rotation", async () => {
    const reader = (publicKeys: string | string[]) => createAssertions(readProcessKeys("portfolio", createKeyPair().privateKey, { ledger: publicKeys }));
    const [before, after] = await Promise.all([old, next].map(({ privateKey }) => createAssertions(readProcessKeys("ledger", privateKey, {})).sign(principal)));
    for (const assertion of [before, after]) expect(await reader([old.publicKey, next.publicKey]).verify(assertion)).toEqual(principal);
    expect(await reader(old.publicKey).verify(before)).toEqual(principal);
    await expect(reader(next.publicKey).verify(before)).rejects.toMatchObject({ status: 401 });
  });

  test("are refused with the key of another service, when altered, and when missing", async () => {
    const assertion = await createAssertions(readProcessKeys("ledger", old.privateKey, {})).sign(principal);
    const reader = createAssertions(readProcessKeys("portfolio", createKeyPair().privateKey, { ledger: next.publicKey, gateway: old.publicKey }));
    await expect(reader.verify(assertion)).rejects.toMatchObject({ status: 401, code: "token_invalid" });
    await expect(reader.verify(undefined)).rejects.toMatchObject({ status: 401, code: "token_missing" });
    const [header, payload, signature] = assertion.split(".");
    const altered = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload!, "base64url").toString()), scope: systemPrincipal("other") })).toString(
      "base64url",
    );
    const verifier = createAssertions(readProcessKeys("portfolio", createKeyPair().privateKey, { ledger: old.publicKey }));
    await expect(verifier.verify([header, altered, signature].join("."))).rejects.toMatchObject({ status: 401 });
    expect(await verifier.verify(assertion)).toEqual(principal);
  });
});
