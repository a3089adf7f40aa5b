import { describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateKeyPair, SignJWT } from "jose";
import { accessVersions } from "./access-versions.ts";
import { authenticator } from "./authenticate.ts";
import { upstream } from "../forwarding/upstream.ts";

const ISSUER = "http://freehold.example";
const { privateKey } = await generateKeyPair("EdDSA");
const token = await new SignJWT({ organizationId: "o", role: "admin" })
  .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: "key" })
  .setIssuer(ISSUER)
  .setAudience("freehold")
  .setSubject("u")
  .setExpirationTime("1h")
  .sign(privateKey);

describe("a token whose signing keys cannot be fetched", () => {
  test.each([
    ["responds with 503", 503, "{}"],
    ["sends no JSON", 200, "unavailable"],
    ["sends no key set", 200, "{}"],
  ])("is answered with 503 when identity %s", async (_, status, body) => {
    const server = createServer((_req, res) => res.writeHead(status, { "Content-Type": "application/json" }).end(body)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const identity = upstream([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    try {
      await expect(authenticator(identity, ISSUER, accessVersions()).authenticate(token)).rejects.toMatchObject({ status: 503 });
    } finally {
      identity.close();
      server.close();
      server.closeAllConnections();
    }
  });
});
