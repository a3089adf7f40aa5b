/** Access tokens of any role, also expired or forged ones, signed with the key in identity's database. */
import { createPrivateKey, generateKeyPairSync, randomUUID, sign, type KeyObject } from "node:crypto";
import type { Role } from "@freehold/contract/roles";
import { Client } from "pg";
import { readSecrets } from "../../deploy/system/secrets.ts";
import { signingKeyVault } from "../../services/identity/src/auth/tokens/signing-key-vault.ts";
import { running } from "./running.ts";

export interface Claims {
  organizationId: string;
  role: Role;
  userId?: string;
  subjectId?: string | null;
  expiresInSeconds?: number;
  issuer?: string;
  audience?: string;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

const createPayload = ({ organizationId, role, userId = randomUUID(), subjectId = null, expiresInSeconds = 900, issuer, audience }: Claims) => {
  const now = Math.floor(Date.now() / 1000);
  return {
    organizationId,
    role,
    subjectId,
    timezone: "America/New_York",
    sub: userId,
    iss: issuer ?? running().baseUrl,
    aud: audience ?? "freehold",
    iat: now - 60,
    exp: now + expiresInSeconds,
    jti: randomUUID(),
  };
};

function signToken(header: object, claims: Claims, key: KeyObject): string {
  const content = `${encode(header)}.${encode(createPayload(claims))}`;
  return `${content}.${sign(null, Buffer.from(content), key).toString("base64url")}`;
}

/** Returns a token with the algorithm `none`. */
export const unsignedToken = (claims: Claims): string => `${encode({ alg: "none", typ: "at+jwt" })}.${encode(createPayload(claims))}.`;

export interface TokenMint {
  /** Returns a token as identity issues it. */
  genuine(claims: Claims): string;
  /** Returns a token with the real key id, signed with another key. */
  forged(claims: Claims): string;
  /** Returns a token signed with the real key, with changed header members. */
  withHeader(header: object, claims: Claims): string;
}

/** Reads the newest signing key and returns functions that sign with it. */
export async function openTokenMint(): Promise<TokenMint> {
  const database = new Client({ connectionString: running().databaseUrls.identity.owner });
  await database.connect();
  const { rows } = await database.query<{ kid: string; sealed_key: string }>(
    "select kid, sealed_key from signing_key where signs_from <= now() order by signs_from desc limit 1",
  );
  await database.end();
  const { kid, sealed_key } = rows[0]!;
  const privateKey = signingKeyVault(readSecrets(running().dataDir).assertionKeys.identity.privateKey).open(sealed_key);
  const key = createPrivateKey({ key: { ...privateKey }, format: "jwk" });
  const header = { alg: "EdDSA", typ: "at+jwt", kid };
  return {
    genuine: (claims) => signToken(header, claims, key),
    forged: (claims) => signToken(header, claims, generateKeyPairSync("ed25519").privateKey),
    withHeader: (changedMembers, claims) => signToken({ ...header, ...changedMembers }, claims, key),
  };
}
