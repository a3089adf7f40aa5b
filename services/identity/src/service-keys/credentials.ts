/**
 * What a program shows: a client id that leads to its organization and its key, and a secret of 256 random bits. A digest
 * of so much chance cannot be guessed from, so SHA-256 is enough where a password would need more.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const CLIENT_ID = /^fk_([A-Za-z0-9_-]{43})$/;
const ID_BYTES = 16;

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll("-", ""), "hex");
const idOf = (bytes: Buffer): string => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
const digest = (secret: string): Buffer => createHash("sha256").update(secret).digest();

export const clientIdOf = (organizationId: string, keyId: string): string =>
  `fk_${Buffer.concat([bytesOf(organizationId), bytesOf(keyId)]).toString("base64url")}`;

/** Where a client id leads, or nothing when it is none of ours. */
export function readClientId(clientId: string): { organizationId: string; keyId: string } | undefined {
  const encoded = CLIENT_ID.exec(clientId)?.[1];
  if (!encoded) return undefined;
  const bytes = Buffer.from(encoded, "base64url");
  return { organizationId: idOf(bytes.subarray(0, ID_BYTES)), keyId: idOf(bytes.subarray(ID_BYTES)) };
}

/** A new secret, and the digest to keep of it. */
export function newClientSecret(): { clientSecret: string; secretHash: string } {
  const clientSecret = randomBytes(32).toString("base64url");
  return { clientSecret, secretHash: digest(clientSecret).toString("base64url") };
}

export const isClientSecret = (given: string, secretHash: string): boolean => timingSafeEqual(digest(given), Buffer.from(secretHash, "base64url"));
