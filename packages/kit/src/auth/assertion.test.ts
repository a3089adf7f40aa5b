import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createAssertions } from "./assertion.ts";
import { systemPrincipal } from "./principal.ts";

function aKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    own: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    known: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
}
const [old, next] = [aKeyPair(), aKeyPair()];
const scope = systemPrincipal("00000000-0000-4000-8000-000000000001");

describe("seals", () => {
  test("are believed by whoever knows the key, before and after it is changed, and by both while it is", async () => {
    const reader = (known: string | string[]) => createAssertions("portfolio", aKeyPair().own, { ledger: known });
    const [before, after] = await Promise.all([old, next].map(({ own }) => createAssertions("ledger", own, {}).sign(scope)));
    for (const assertion of [before, after]) expect(await reader([old.known, next.known]).verify(assertion)).toEqual(scope);
    expect(await reader(old.known).verify(before)).toEqual(scope);
    await expect(reader(next.known).verify(before)).rejects.toMatchObject({ status: 401 });
  });

  test("are refused under another's name, when altered, and when there is none", async () => {
    const assertion = await createAssertions("ledger", old.own, {}).sign(scope);
    const reader = createAssertions("portfolio", aKeyPair().own, { ledger: next.known, gateway: old.known });
    await expect(reader.verify(assertion)).rejects.toMatchObject({ status: 401, code: "token_invalid" });
    await expect(reader.verify(undefined)).rejects.toMatchObject({ status: 401, code: "token_missing" });
    const [header, payload, signature] = assertion.split(".");
    const altered = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload!, "base64url").toString()), scope: systemPrincipal("other") })).toString(
      "base64url",
    );
    const knowing = createAssertions("portfolio", aKeyPair().own, { ledger: old.known });
    await expect(knowing.verify([header, altered, signature].join("."))).rejects.toMatchObject({ status: 401 });
    expect(await knowing.verify(assertion)).toEqual(scope);
  });
});
