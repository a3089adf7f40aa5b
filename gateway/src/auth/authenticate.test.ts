import { describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { tokenChanges } from "./token-changes.ts";
import { authenticator } from "./authenticate.ts";
import { upstream } from "../forwarding/upstream.ts";

const ISSUER = "http://freehold.example";
const { privateKey, publicKey } = await generateKeyPair("EdDSA");
const MINUTE_SECONDS = 60;
/** Returns a token that was issued some seconds ago and expires in a year. */
const tokenIssuedAgo = (seconds: number) =>
  new SignJWT({ organizationId: "o", role: "admin" })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: "key" })
    .setIssuer(ISSUER)
    .setAudience("freehold")
    .setSubject("u")
    .setIssuedAt(Math.floor(Date.now() / 1000) - seconds)
    .setExpirationTime("1y")
    .sign(privateKey);
const token = await tokenIssuedAgo(0);

/** Runs the work with an identity that sends the body as its keys, and whose clock is ahead by some seconds. */
async function withKeys<T>(status: number, body: string, work: (identity: ReturnType<typeof upstream>) => Promise<T>, secondsAhead = 0): Promise<T> {
  const headers = () => ({ "Content-Type": "application/json", Date: new Date(Date.now() + secondsAhead * 1_000).toUTCString() });
  const server = createServer((_req, res) => res.writeHead(status, headers()).end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const identity = upstream([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  try {
    return await work(identity);
  } finally {
    identity.close();
    server.close();
    server.closeAllConnections();
  }
}
const published = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "key", alg: "EdDSA", use: "sig" }] });

test("a token is accepted for at most the lifetime of identity's tokens, whatever its expiry", () =>
  withKeys(200, published, async (identity) => {
    const { authenticate } = authenticator(identity, ISSUER, tokenChanges());
    expect(await authenticate(token)).toMatchObject({ principal: { organizationId: "o", userId: "u" } });
    await expect(authenticate(await tokenIssuedAgo(20 * MINUTE_SECONDS))).rejects.toMatchObject({ status: 401, code: "token_expired" });
  }));

describe("a gateway whose clock differs from that of identity", () => {
  const authenticateNew = (identity: ReturnType<typeof upstream>, secondsAhead: number) =>
    tokenIssuedAgo(-secondsAhead).then((issued) => authenticator(identity, ISSUER, tokenChanges()).authenticate(issued));

  test.each([-110, 110])("by %i s accepts the tokens that identity issues", (secondsAhead) =>
    withKeys(
      200,
      published,
      (identity) => expect(authenticateNew(identity, secondsAhead)).resolves.toMatchObject({ principal: { userId: "u" } }),
      secondsAhead,
    ),
  );

  test.each([-20 * MINUTE_SECONDS, 20 * MINUTE_SECONDS])("by %i s responds 503 to them, so that nobody is signed out", (secondsAhead) =>
    withKeys(
      200,
      published,
      (identity) => expect(authenticateNew(identity, secondsAhead)).rejects.toMatchObject({ status: 503, code: "service_unavailable" }),
      secondsAhead,
    ),
  );
});

test("a token of a key that is no longer published is refused", () =>
  withKeys(200, '{"keys":[]}', (identity) =>
    expect(authenticator(identity, ISSUER, tokenChanges()).authenticate(token)).rejects.toMatchObject({ status: 401, code: "token_invalid" }),
  ));

describe("a token whose signing keys cannot be fetched", () => {
  test.each([
    ["responds with 503", 503, "{}"],
    ["sends no JSON", 200, "unavailable"],
    ["sends no key set", 200, "{}"],
  ])("is answered with 503 when identity %s", (_, status, body) =>
    withKeys(status, body, (identity) => expect(authenticator(identity, ISSUER, tokenChanges()).authenticate(token)).rejects.toMatchObject({ status: 503 })),
  );
});
