import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { SignJWT } from "jose";
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
const SIGNERS = ["gateway", "ledger"];
const principal = systemPrincipal("00000000-0000-4000-8000-000000000001");

describe("assertions", () => {
  test("are verified with the public key, before, during and after a key rotation", async () => {
    const reader = (publicKeys: string | string[]) => createAssertions(readProcessKeys("portfolio", createKeyPair().privateKey, { ledger: publicKeys }));
    const [before, after] = await Promise.all(
      [old, next].map(({ privateKey }) => createAssertions(readProcessKeys("ledger", privateKey, {})).sign({ principal })),
    );
    for (const assertion of [before, after]) expect(await reader([old.publicKey, next.publicKey]).verify(assertion, SIGNERS)).toMatchObject({ principal });
    expect(await reader(old.publicKey).verify(before, SIGNERS)).toMatchObject({ principal });
    await expect(reader(next.publicKey).verify(before, SIGNERS)).rejects.toThrow("could not be verified");
  });

  test("are refused with the key of another service, when altered, and when missing", async () => {
    const assertion = await createAssertions(readProcessKeys("ledger", old.privateKey, {})).sign({ principal });
    const reader = createAssertions(readProcessKeys("portfolio", createKeyPair().privateKey, { ledger: next.publicKey, gateway: old.publicKey }));
    await expect(reader.verify(assertion, SIGNERS)).rejects.toThrow("could not be verified");
    await expect(reader.verify(undefined, SIGNERS)).rejects.toThrow("did not come through the gateway");
    const [header, payload, signature] = assertion.split(".");
    const altered = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload!, "base64url").toString()), scope: systemPrincipal("other") })).toString(
      "base64url",
    );
    const verifier = createAssertions(readProcessKeys("portfolio", createKeyPair().privateKey, { ledger: old.publicKey }));
    await expect(verifier.verify([header, altered, signature].join("."), SIGNERS)).rejects.toThrow("could not be verified");
    expect(await verifier.verify(assertion, SIGNERS)).toMatchObject({ principal });
  });

  test("are refused when they are signed by a known process that does not call the port", async () => {
    const assertion = await createAssertions(readProcessKeys("imports", old.privateKey, {})).sign({ principal });
    const reader = createAssertions(readProcessKeys("portfolio", createKeyPair().privateKey, { imports: old.publicKey }));
    expect(await reader.verify(assertion, ["imports"])).toMatchObject({ principal });
    await expect(reader.verify(assertion, ["gateway"])).rejects.toThrow("is signed by imports, which does not call this port");
  });

  test("are accepted when clocks differ by a minute, and refused with 503 when they differ by more than the tolerance", async () => {
    const keys = (name: string, publicKeys: Record<string, string>) => readProcessKeys(name, old.privateKey, publicKeys);
    const signedAgo = (seconds: number) =>
      new SignJWT({ scope: { ...principal } })
        .setProtectedHeader({ alg: "EdDSA", kid: "gateway" })
        .setAudience("freehold-services")
        .setExpirationTime(Math.floor(Date.now() / 1000) + 60 - seconds)
        .sign(keys("gateway", {}).privateKey);
    const reader = createAssertions(keys("ledger", { gateway: old.publicKey }));
    for (const seconds of [-60, 60, 120]) expect(await reader.verify(await signedAgo(seconds), SIGNERS)).toMatchObject({ principal });
    await expect(reader.verify(await signedAgo(300), SIGNERS)).rejects.toMatchObject({ status: 503 });
  });
});
