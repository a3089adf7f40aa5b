/**
 * Invite tokens: the initial of the kind, then organization id, invite id and an HMAC over both and the invite's nonce.
 * Tokens are derived, never stored, so a copy of the database grants no access without the key.
 */
import { portalRoles, type PortalRole } from "@freehold/contract/roles";
import { uuidToBytes, uuidFromBytes } from "@freehold/kit/uuid";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export interface InviteIds {
  kind: PortalRole;
  organizationId: string;
  inviteId: string;
}
export interface InviteTokens {
  tokenOf(ids: InviteIds, nonce: string): string;
  /** Tells whether the token belongs to the invite. */
  matches(token: string, ids: InviteIds, nonce: string): boolean;
}

const prefixOf = (kind: PortalRole) => `${kind[0]}.`;
const TOKEN_BYTES = 48;

/** Parses the ids in a token without verifying its HMAC. Returns undefined for a malformed token. */
export function parseInviteToken(token: string): InviteIds | undefined {
  const kind = portalRoles.find((candidate) => token.startsWith(prefixOf(candidate)));
  const encoded = token.slice(2);
  if (!kind || !/^[\w-]{64}$/.test(encoded)) return undefined;
  const raw = Buffer.from(encoded, "base64url");
  return raw.length === TOKEN_BYTES ? { kind, organizationId: uuidFromBytes(raw.subarray(0, 16)), inviteId: uuidFromBytes(raw.subarray(16, 32)) } : undefined;
}

/** Creates and verifies tokens with a key derived from the secret. */
export function createInviteTokens(secret: string): InviteTokens {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "invite-token", 32));
  const tokenOf = ({ kind, organizationId, inviteId }: InviteIds, nonce: string) => {
    const ids = Buffer.concat([uuidToBytes(organizationId), uuidToBytes(inviteId)]);
    const mac = createHmac("sha256", key)
      .update(Buffer.concat([ids, uuidToBytes(nonce)]))
      .digest()
      .subarray(0, 16);
    return prefixOf(kind) + Buffer.concat([ids, mac]).toString("base64url");
  };
  return {
    tokenOf,
    matches: (token, ids, nonce) => {
      const expected = Buffer.from(tokenOf(ids, nonce));
      const actual = Buffer.from(token);
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
}
