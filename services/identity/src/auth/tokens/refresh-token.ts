/** Refresh tokens: `<organization id>.<256-bit secret>`. The organization id selects the row-level security scope; only the digest is stored. */
import { createHash, randomBytes } from "node:crypto";

const LAYOUT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/;

const digest = (token: string): string => createHash("sha256").update(token).digest("base64url");

export function newRefreshToken(organizationId: string): { token: string; tokenHash: string } {
  const token = `${organizationId}.${randomBytes(32).toString("base64url")}`;
  return { token, tokenHash: digest(token) };
}

/** Parses a presented token into its organization and digest. Returns undefined for a malformed token. */
export function parseRefreshToken(token: string | undefined): { organizationId: string; tokenHash: string } | undefined {
  const organizationId = LAYOUT.exec(token ?? "")?.[1];
  return organizationId ? { organizationId, tokenHash: digest(token!) } : undefined;
}
