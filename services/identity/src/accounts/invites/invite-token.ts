/**
 * Invite tokens: `<kind>.<base64url of organization id, invite id and a MAC>`. Tokens are derived from the ids and never
 * stored, so a copy of the database does not contain a usable token. Portfolio's tokens have the same layout with other
 * kinds and another key, so the organization can be read from any invite token.
 */
import { deriveKey, tokenSigner } from "@freehold/kit/auth/signed-token";
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";

/** Token kind of the invites of office users, which identity issues. */
export const USER_KIND = "u";

const LAYOUT = /^([a-z])\.([A-Za-z0-9_-]{64,200})$/;
const ID_BYTES = 16;

export interface InviteTokens {
  /** Returns the token of an invite. Deterministic. */
  issue(organizationId: string, inviteId: string): string;
  /** Returns the ids in a token that identity issued, or undefined when the MAC does not match. */
  verify(token: string): { organizationId: string; inviteId: string } | undefined;
}

/** Parses the kind and organization of an invite token without verifying the MAC. */
export function parseUnverifiedInviteToken(token: string): { kind: string; organizationId: string } | undefined {
  const [, kind, encoded] = LAYOUT.exec(token) ?? [];
  if (!kind || !encoded) return undefined;
  const bytes = Buffer.from(encoded, "base64url");
  return bytes.length < 3 * ID_BYTES ? undefined : { kind, organizationId: uuidFromBytes(bytes.subarray(0, ID_BYTES)) };
}

/** Creates the issuer and verifier of user invite tokens. Derives the MAC key from the assertion key (base64). */
export function userInviteTokens(assertionKey: string): InviteTokens {
  const key = deriveKey(Buffer.from(assertionKey, "base64"), "freehold identity user invite");
  const signer = tokenSigner(key, { contentBytes: 2 * ID_BYTES, macBytes: 32, label: USER_KIND });
  const prefix = `${USER_KIND}.`;
  return {
    issue: (organizationId, inviteId) => prefix + signer.sign(Buffer.concat([uuidToBytes(organizationId), uuidToBytes(inviteId)])),
    verify(token) {
      const ids = token.startsWith(prefix) ? signer.verify(token.slice(prefix.length)) : undefined;
      return ids && { organizationId: uuidFromBytes(ids.subarray(0, ID_BYTES)), inviteId: uuidFromBytes(ids.subarray(ID_BYTES)) };
    },
  };
}
