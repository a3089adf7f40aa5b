/**
 * Credentials of service keys: a client id, which encodes the organization id and the key id, and a 256-bit random secret.
 * The secret has full entropy, so a plain SHA-256 digest is sufficient.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";

const CLIENT_ID_PATTERN = /^fk_([A-Za-z0-9_-]{43})$/;
const ID_BYTES = 16;

const digest = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Returns the client id of a service key. */
export const clientIdOf = (organizationId: string, keyId: string): string =>
  `fk_${Buffer.concat([uuidToBytes(organizationId), uuidToBytes(keyId)]).toString("base64url")}`;

/** Parses a client id into its organization id and key id. Returns undefined for a malformed client id. */
export function parseClientId(clientId: string): { organizationId: string; keyId: string } | undefined {
  const encoded = CLIENT_ID_PATTERN.exec(clientId)?.[1];
  if (!encoded) return undefined;
  const bytes = Buffer.from(encoded, "base64url");
  return { organizationId: uuidFromBytes(bytes.subarray(0, ID_BYTES)), keyId: uuidFromBytes(bytes.subarray(ID_BYTES)) };
}

/** Generates a client secret and the digest to store. */
export function newClientSecret(): { clientSecret: string; secretHash: string } {
  const clientSecret = randomBytes(32).toString("base64url");
  return { clientSecret, secretHash: digest(clientSecret).toString("base64url") };
}

/** Tells whether a client secret is that of a stored digest, in constant time. */
export const verifyClientSecret = (clientSecret: string, secretHash: string): boolean =>
  timingSafeEqual(digest(clientSecret), Buffer.from(secretHash, "base64url"));
