/**
 * Tokens of e-mailed links: base64url of the organization id and a 256-bit secret. The organization id selects the
 * row-level security scope. Only the SHA-256 is stored, so a copy of the database does not contain a usable token.
 */
import { createHash, randomBytes } from "node:crypto";
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{64}$/;

const digest = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** Generates a token for an organization, and the digest to store. */
export function newOneTimeToken(organizationId: string): { token: string; tokenHash: string } {
  const token = Buffer.concat([uuidToBytes(organizationId), randomBytes(SECRET_BYTES)]).toString("base64url");
  return { token, tokenHash: digest(token) };
}

/** Parses a presented token into its organization and digest. Returns undefined for a malformed token. */
export function parseOneTimeToken(token: string): { organizationId: string; tokenHash: string } | undefined {
  if (!TOKEN_PATTERN.test(token)) return undefined;
  return { organizationId: uuidFromBytes(Buffer.from(token, "base64url").subarray(0, ID_BYTES)), tokenHash: digest(token) };
}
