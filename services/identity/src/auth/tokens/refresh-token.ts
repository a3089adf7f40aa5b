/** Refresh tokens: `<organization id>.<256-bit secret>`. The organization id selects the row-level security scope; only the SHA-256 of a token is stored. */
import { createHash, randomBytes } from "node:crypto";

const TOKEN_PATTERN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/;

const digest = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** Generates a token of an organization and the digest to store. */
export function newRefreshToken(organizationId: string): { token: string; tokenHash: string } {
  const token = `${organizationId}.${randomBytes(32).toString("base64url")}`;
  return { token, tokenHash: digest(token) };
}

/** Returns the organization id in a token and the digest of the token. Returns undefined for a missing or malformed token. */
export function parseRefreshToken(token: string | undefined): { organizationId: string; tokenHash: string } | undefined {
  const organizationId = TOKEN_PATTERN.exec(token ?? "")?.[1];
  return organizationId ? { organizationId, tokenHash: digest(token!) } : undefined;
}
