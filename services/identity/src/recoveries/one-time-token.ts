/**
 * The tokens in mailed links: base64url of the organization's id and a secret of 256 bits, so that each leads into its
 * organization. Only the SHA-256 is stored; a copy of the database opens nothing.
 */
import { createHash, randomBytes } from "node:crypto";

const ID_BYTES = 16;
const LAYOUT = /^[A-Za-z0-9_-]{64}$/;

const digest = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** A new token of an organization, and the digest to keep of it. */
export function newOneTimeToken(organizationId: string): { token: string; tokenHash: string } {
  const token = Buffer.concat([Buffer.from(organizationId.replaceAll("-", ""), "hex"), randomBytes(32)]).toString("base64url");
  return { token, tokenHash: digest(token) };
}

/** Where a presented token leads, or nothing when it is none of ours. */
export function readOneTimeToken(token: string): { organizationId: string; tokenHash: string } | undefined {
  if (!LAYOUT.test(token)) return undefined;
  const id = Buffer.from(token, "base64url").subarray(0, ID_BYTES).toString("hex");
  return { organizationId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"), tokenHash: digest(token) };
}
